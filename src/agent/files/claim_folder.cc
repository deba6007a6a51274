#include "agent/files/claim_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <map>

#include "agent/disk/tree_size.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"
#include "linux/remove_tree.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

using node::FileEntry;
using node::FileType;

constexpr int kMostLinks = 40;  // as many as Linux follows

Error refused(Reason reason, std::string message) {
  return Error{.reason = reason, .message = std::move(message)};
}

/// What a client can act on gets a reason and a sentence of its own.
Error file_error(const char* action, const std::string& path, int error) {
  const std::string where = quote(path.empty() ? "/" : path);
  switch (error) {
    case ENOENT:
      return refused(Reason::kNotFound, fmt::format("{}: no such file or folder", where));
    case ENOTDIR:
      return refused(Reason::kBadRequest, fmt::format("{}: a part of the path is not a folder", where));
    case EISDIR:
      return refused(Reason::kBadRequest, fmt::format("{}: is a folder", where));
    case EXDEV:
      return refused(Reason::kForbidden, fmt::format("{}: leads outside the claim", where));
    case ELOOP:
      return refused(Reason::kBadRequest, fmt::format("{}: too many symbolic links", where));
    case EACCES:
    case EPERM:
    case EROFS:
      return refused(Reason::kForbidden, errno_error(fmt::format("{} {}", action, where), error).message);
    case ENAMETOOLONG:
    case EINVAL:
      return refused(Reason::kBadRequest, errno_error(fmt::format("{} {}", action, where), error).message);
    case EEXIST:
      return refused(Reason::kAlreadyExists, fmt::format("{}: exists already", where));
    case ENOTEMPTY:
      return refused(Reason::kConflict, fmt::format("{}: the folder is not empty", where));
    default:
      return errno_error(fmt::format("{} {}", action, where), error);
  }
}

/// Pipes, sockets and devices: opening one may block, or reach something that is not a file of the claim.
Status check_is_file(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return ok();
  if (S_ISDIR(mode)) return file_error("open", path, EISDIR);
  const char* what = S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
  return refused(Reason::kBadRequest,
                 fmt::format("{}: is {}; only the content of files can be read and written", quote(path), what));
}

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::kFile;
  if (S_ISDIR(mode)) return FileType::kFolder;
  return S_ISLNK(mode) ? FileType::kLink : FileType::kOther;
}

FileEntry entry_of(std::string name, const struct stat& what) {
  return {.name = std::move(name),
          .type = type_of(what.st_mode),
          .size = S_ISREG(what.st_mode) ? what.st_size : 0,
          .modified = modified_at(what),
          .mode = what.st_mode & 07777,
          .etag = fmt::format("\"{:x}-{:x}-{:x}\"", what.st_ino, modified_at(what).time_since_epoch().count(),
                              what.st_size)};
}

/// Refuses a request whose If-Match names another state of the file than the present one; `etag` is "" when there is no
/// file.
Status check_etag(const std::string& path, const std::string& if_match, const std::string& etag) {
  if (if_match.empty() || if_match == etag || (if_match == "*" && !etag.empty())) return ok();
  return refused(Reason::kConflict, fmt::format("{}: the file has changed: If-Match is {}, it has {}; read it again",
                                                quote(path), if_match, etag.empty() ? "none" : etag));
}

std::string last_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// A new entry belongs to the owner of the folder that it lies in, as if a program of that owner had made it there.
void give_to_owner_of(int folder, int made) {
  struct stat what {};
  if (::geteuid() != 0 || ::fstat(folder, &what) != 0) return;
  // Refused when the thread acts as another user: the entry is that user's already.
  (void)!::fchown(made, what.st_uid, what.st_gid);
}

/// Returns the path of an open folder without any links.
std::string real_path(const Fd& folder) {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return path;
}

/// Returns whether a folder is the one of this name in `parent` or inside of it.
bool lies_in(const Fd& folder, const Fd& parent, const std::string& name) {
  return (real_path(folder) + "/").starts_with(real_path(parent) + "/" + name + "/");
}

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The names of a page, without keeping those of the whole folder.
class PageNames {
 public:
  explicit PageNames(const node::PageRequest& page) : page_(page) {}

  void add(std::string name) {
    if (name == "." || name == ".." || name <= page_.after) return;
    names_.push_back(std::move(name));
    std::ranges::push_heap(names_);
    if (names_.size() <= page_.limit) return;
    std::ranges::pop_heap(names_);
    names_.pop_back();
    is_last_ = false;
  }
  std::vector<std::string> sorted() {
    std::ranges::sort_heap(names_);
    return std::move(names_);
  }
  bool is_last() const { return is_last_; }

 private:
  const node::PageRequest& page_;
  std::vector<std::string> names_;  // a heap with the last name on top
  bool is_last_ = true;
};

}  // namespace

Status make_claim_folder(const ClaimRoot& root) {
  TRY(make_directories(root.path, 0755));
  if (root.is_named) return ok();
  if (::geteuid() == 0 && ::chown(root.path.c_str(), MUSTER_POD_ROOT, MUSTER_POD_ROOT) != 0) {
    LOG_WARN("the folder of a claim stays root's", {"folder", root.path},
             {"error", errno_error("chown", errno).message});
  }
  if (::chmod(root.path.c_str(), 0777) != 0) return errno_error("chmod " + quote(root.path), errno);
  return ok();
}

Status remove_while_written(const std::string& path, const std::function<Status()>& remove) {
  constexpr int kMostAttempts = 10;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    Status removed = remove();
    if (removed || removed.error().reason != Reason::kConflict) return removed;
  }
  return refused(
      Reason::kConflict,
      fmt::format("{}: is being written to; stop the job that writes there and remove the folder again", quote(path)));
}

// ---- drafts ----

FileDraft::~FileDraft() {
  if (folder && is_temporary) ::unlinkat(folder.get(), temporary_name.c_str(), 0);
}

Status FileDraft::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ok();
}

int FileDraft::link_as(const std::string& new_name) const {
  return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", file.get()).c_str(), folder.get(), new_name.c_str(),
                  AT_SYMLINK_FOLLOW);
}

Status FileDraft::replace() {
  if (!is_temporary && link_as(temporary_name) != 0) return file_error("write", path, errno);
  is_temporary = true;
  if (::renameat2(folder.get(), temporary_name.c_str(), folder.get(), name.c_str(),
                  options.only_new ? RENAME_NOREPLACE : 0) != 0) {
    return file_error("write", path, errno);
  }
  is_temporary = false;
  return ok();
}

Result<node::FileWriting::Written> FileDraft::commit() {
  const linux_os::FileUser acts_as(user, group);
  struct stat before {};
  const bool exists = ::fstatat(folder.get(), name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0;
  // A link was put there while the content was received; it is replaced, as the file before it would have been.
  if (exists && !S_ISLNK(before.st_mode)) TRY(check_is_file(path, before.st_mode));
  // A program in a pod may still write between this look and the rename: it knows nothing of ETags.
  TRY(check_etag(path, options.if_match, exists ? entry_of(name, before).etag : ""));
  const mode_t usual = exists && S_ISREG(before.st_mode) ? before.st_mode & 0777 : 0644;
  if (::fchmod(file.get(), options.mode.value_or(usual)) != 0) return file_error("chmod", path, errno);
  if (::fdatasync(file.get()) != 0) return file_error("sync", path, errno);
  if (is_temporary || exists || link_as(name) != 0) TRY(replace());
  struct stat after {};
  if (::fstat(file.get(), &after) != 0) return file_error("stat", path, errno);
  return node::FileWriting::Written{.entry = entry_of(last_name(path), after), .is_new = !exists};
}

// ---- the folder ----

/// A name in an open folder, whether there is something of this name or not.
struct ClaimFolder::Slot {
  Fd folder;
  std::string name;
};

Result<std::unique_ptr<ClaimFolder>> ClaimFolder::open(const ClaimRoot& root) {
  Fd top(::open(root.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top && errno == ENOENT && root.may_be_made) {
    TRY(make_claim_folder(root));
    top = Fd(::open(root.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  struct stat what {};
  if (!top || ::fstat(top.get(), &what) != 0)
    return in_context("the claim's folder", file_error("open", root.path, errno));
  const bool as_owner = root.is_named;
  return std::unique_ptr<ClaimFolder>(
      new ClaimFolder(std::move(top), as_owner ? what.st_uid : 0, as_owner ? what.st_gid : 0));
}

Result<ClaimFolder::Slot> ClaimFolder::slot(const std::string& path) const {
  Slot slot{.folder = {}, .name = last_name(path)};
  if (slot.name.empty()) return refused(Reason::kBadRequest, "the claim's own folder cannot be replaced or removed");
  const std::string folder = path.substr(0, path.size() - slot.name.size());
  slot.folder = linux_os::open_beneath(top_.get(), folder, O_PATH | O_DIRECTORY);
  if (!slot.folder) return file_error("open", folder.empty() ? folder : folder.substr(0, folder.size() - 1), errno);
  return slot;
}

/// Goes by the text of the links: only so is there a name for a file that a link leads to and that does not exist yet.
Result<ClaimFolder::Slot> ClaimFolder::slot_behind_links(const std::string& path) const {
  std::string at = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    TRY_ASSIGN(Slot slot, this->slot(at));
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(slot.folder.get(), slot.name.c_str(), target.data(), target.size());
    if (size < 0) return slot;  // no link, or nothing yet
    target.resize(static_cast<std::size_t>(size));
    while (target.size() > 1 && target.ends_with('/')) target.pop_back();
    if (target.starts_with('/')) return file_error("open", path, EXDEV);
    at.replace(at.size() - slot.name.size(), std::string::npos, target);
  }
  return file_error("open", path, ELOOP);
}

Result<FileEntry> ClaimFolder::stat(const std::string& path) const {
  const Fd found = linux_os::open_beneath(top_.get(), path, O_PATH);
  struct stat what {};
  if (!found || ::fstat(found.get(), &what) != 0) return file_error("open", path, errno);
  return entry_of(last_name(path), what);
}

Result<node::FilePage> ClaimFolder::list(const std::string& path, const node::PageRequest& page) const {
  Fd opened = linux_os::open_beneath(top_.get(), path, O_RDONLY | O_DIRECTORY);
  if (!opened) return file_error("open", path, errno);
  const int fd = ::dup(opened.get());  // closedir closes its own
  const std::unique_ptr<DIR, FolderCloser> folder(fd < 0 ? nullptr : ::fdopendir(fd));
  if (!folder) return file_error("read", path, errno);
  PageNames names(page);
  while (const dirent* entry = ::readdir(folder.get())) names.add(entry->d_name);
  node::FilePage out{.entries = {}, .is_last = names.is_last()};
  for (std::string& name : names.sorted()) {
    struct stat what {};
    if (::fstatat(opened.get(), name.c_str(), &what, AT_SYMLINK_NOFOLLOW) != 0) continue;  // removed meanwhile
    out.entries.push_back(entry_of(std::move(name), what));
  }
  return out;
}

Result<ClaimFolder::OpenFile> ClaimFolder::open_file(const std::string& path) const {
  const Fd found = linux_os::open_beneath(top_.get(), path, O_PATH);
  struct stat what {};
  if (!found || ::fstat(found.get(), &what) != 0) return file_error("open", path, errno);
  TRY(check_is_file(path, what.st_mode));
  Fd fd(::open(fmt::format("/proc/self/fd/{}", found.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return file_error("open", path, errno);
  return OpenFile{.fd = std::move(fd), .entry = entry_of(last_name(path), what)};
}

Result<FileDraft> ClaimFolder::create(const std::string& path, const node::FileWriteOptions& options,
                                      std::uint64_t token) const {
  TRY_ASSIGN(Slot slot, slot_behind_links(path));
  const std::string temporary_name = fmt::format(".muster-upload-{:016x}", token);
  Fd file(::openat(slot.folder.get(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600));
  const bool is_temporary = !file && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT);
  if (is_temporary) {
    file = Fd(::openat(slot.folder.get(), temporary_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  if (!file) return file_error("write", path, errno);
  give_to_owner_of(slot.folder.get(), file.get());
  FileDraft draft;
  draft.folder = std::move(slot.folder);
  draft.file = std::move(file);
  draft.path = path;
  draft.name = std::move(slot.name);
  draft.temporary_name = temporary_name;
  draft.is_temporary = is_temporary;
  draft.options = options;
  draft.user = user_;
  draft.group = group_;
  return draft;
}

Status ClaimFolder::make_folder(const std::string& path) const {
  std::string so_far;
  for (const std::string& part : split(path, '/')) {
    if (part.empty()) continue;
    so_far += (so_far.empty() ? "" : "/") + part;
    TRY_ASSIGN(const Slot slot, this->slot(so_far));
    if (::mkdirat(slot.folder.get(), part.c_str(), 0755) != 0) {
      if (errno != EEXIST) return file_error("make", so_far, errno);
      TRY_ASSIGN(const FileEntry existing, stat(so_far));
      if (existing.type != FileType::kFolder) return file_error("make", so_far, EEXIST);
      continue;
    }
    const Fd made(::openat(slot.folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made) give_to_owner_of(slot.folder.get(), made.get());
  }
  return ok();
}

Status ClaimFolder::move(const std::string& from, const std::string& to, node::ClaimFiles::Existing existing) const {
  TRY_ASSIGN(const Slot source, slot(from));
  TRY_ASSIGN(const Slot target, slot(to));
  const unsigned flags = existing == node::ClaimFiles::Existing::kKept ? RENAME_NOREPLACE : 0;
  if (::renameat2(source.folder.get(), source.name.c_str(), target.folder.get(), target.name.c_str(), flags) == 0) {
    return ok();
  }
  // Here EXDEV means that the claim has several file systems, not that a link leads outside.
  if (errno == EXDEV) return refused(Reason::kBadRequest, fmt::format("{}: is on another file system", quote(to)));
  if (errno == EINVAL && lies_in(target.folder, source.folder, source.name)) {
    return refused(Reason::kBadRequest,
                   fmt::format("{}: a folder cannot be moved into itself, got {}; choose a folder outside of it",
                               quote(from), quote(to)));
  }
  return file_error("move", errno == ENOENT ? from : to, errno);
}

/// A client knows the ETag of a link from the list of its folder, or that of the file behind it from reading it.
Status ClaimFolder::check_unchanged(const Slot& slot, const std::string& path, const std::string& if_match) const {
  struct stat what {};
  const bool exists = ::fstatat(slot.folder.get(), slot.name.c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISLNK(what.st_mode)) {
    if (const auto behind = stat(path); behind && behind->etag == if_match) return ok();
  }
  return check_etag(path, if_match, exists ? entry_of(slot.name, what).etag : "");
}

Status ClaimFolder::remove(const std::string& path, node::ClaimFiles::Depth depth, const std::string& if_match,
                           const std::stop_token& stop) const {
  TRY_ASSIGN(const Slot slot, this->slot(path));
  TRY(check_unchanged(slot, path, if_match));
  if (::unlinkat(slot.folder.get(), slot.name.c_str(), 0) == 0) return ok();
  if (errno != EISDIR) return file_error("remove", path, errno);
  if (::unlinkat(slot.folder.get(), slot.name.c_str(), AT_REMOVEDIR) == 0) return ok();
  if (errno != ENOTEMPTY) return file_error("remove", path, errno);
  if (depth == node::ClaimFiles::Depth::kOne) {
    Error error = file_error("remove", path, ENOTEMPTY);
    error.message += "; add recursive=true to the query";
    return error;
  }
  return remove_while_written(path, [&] { return linux_os::remove_tree_at(slot.folder.get(), slot.name, path, stop); });
}

}  // namespace muster::agent
