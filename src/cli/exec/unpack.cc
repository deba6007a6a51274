#include "cli/exec/unpack.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"

namespace muster::cli {
namespace {

constexpr unsigned kUsualFolderMode = 0777;  // without what the umask takes away
constexpr unsigned kOwnerMayFill = 0700;

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts = split(path, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return parts;
}

Error refused(std::string message) {
  return {.reason = Reason::kForbidden, .message = std::move(message)};
}

}  // namespace

Result<std::unique_ptr<Unpack>> Unpack::open(const std::string& folder, const std::string& base,
                                             const std::string& name, OnSkip on_skip) {
  Fd top(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return errno_error("open the folder " + quote(folder), errno);
  return std::unique_ptr<Unpack>(
      new Unpack(std::move(top), folder, parts_of(base), parts_of(name), std::move(on_skip)));
}

Unpack::Unpack(Fd top, std::string folder, Parts base, Parts name, OnSkip on_skip)
    : top_(std::move(top)),
      folder_(std::move(folder)),
      base_(std::move(base)),
      name_(std::move(name)),
      on_skip_(std::move(on_skip)) {}

Unpack::~Unpack() {
  if (file_) ::unlinkat(file_folder_, file_path_.back().c_str(), 0);
}

std::string Unpack::shown(const Parts& parts) const {
  return quote(folder_ + (folder_.ends_with('/') ? "" : "/") + join(parts, "/"));
}

Result<Unpack::Parts> Unpack::destination(const std::string& sent) const {
  Parts parts = parts_of(sent);
  const bool leads_out = sent.starts_with('/') || std::ranges::find(parts, "..") != parts.end();
  if (leads_out || sent.find('\0') != std::string::npos) {
    return refused(
        fmt::format("archive from the container: {} leads outside of the destination; nothing is written "
                    "there, check the container before you copy from it",
                    quote(sent)));
  }
  const bool was_wanted = parts.size() >= base_.size() && std::equal(base_.begin(), base_.end(), parts.begin());
  if (!was_wanted) {
    return refused(fmt::format(
        "archive from the container: must hold {} only, got {}; check the container before you copy from it",
        quote(join(base_, "/")), quote(sent)));
  }
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(base_.size()));
  parts.insert(parts.begin(), name_.begin(), name_.end());
  return parts;
}

Result<int> Unpack::enter(const Parts& parts, std::optional<unsigned> mode) {
  if (parts.empty()) return top_.get();
  if (inner_ && parts == entered_) return inner_.get();
  Fd at;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int above = at ? at.get() : top_.get();
    const char* name = parts[i].c_str();
    if (mode) {
      const unsigned wanted = i + 1 == parts.size() ? *mode : kUsualFolderMode;
      if (::mkdirat(above, name, wanted | kOwnerMayFill) != 0 && errno != EEXIST) {
        return errno_error(
            "make the folder " + shown({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i) + 1}), errno);
      }
    }
    Fd next(::openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      const int error = errno;
      const std::string where = shown({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i) + 1});
      if (error != ENOTDIR) return errno_error("open the folder " + where, error);
      return refused(
          fmt::format("{}: must be a folder, got a link or a file; remove it or choose another destination", where));
    }
    at = std::move(next);
  }
  inner_ = std::move(at);
  entered_ = parts;
  return inner_.get();
}

/// Removes a file or a link that has the name of the new file. Writing into it would follow the link, or change all
/// names of the file.
Status Unpack::make_room(int folder, const Parts& parts) const {
  struct stat there {};
  if (::fstatat(folder, parts.back().c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return ok();
  if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) {
    return refused(fmt::format("{}: must be a file, got a {}; remove it or choose another destination", shown(parts),
                               S_ISDIR(there.st_mode) ? "folder" : "device, pipe or socket"));
  }
  if (::unlinkat(folder, parts.back().c_str(), 0) != 0) return errno_error("replace " + shown(parts), errno);
  return ok();
}

Status Unpack::begin(const TarEntry& entry) {
  TRY_ASSIGN(const Parts parts, destination(entry.name));
  switch (entry.kind) {
    case TarEntry::Kind::kFolder: {
      TRY_ASSIGN([[maybe_unused]] const int folder, enter(parts, entry.mode));
      has_written_ = true;
      return ok();
    }
    case TarEntry::Kind::kFile:
      return begin_file(parts, entry.mode);
    case TarEntry::Kind::kHardLink:
      return link_file(parts, entry.link_target);
    case TarEntry::Kind::kOther:
      on_skip_(entry.name, entry.what);
      return ok();
  }
  return ok();
}

Status Unpack::begin_file(const Parts& parts, unsigned mode) {
  if (parts.empty()) return refused(fmt::format("{}: must be a file, got a folder; name the file", quote(folder_)));
  TRY_ASSIGN(const int folder, enter({parts.begin(), parts.end() - 1}, kUsualFolderMode));
  TRY(make_room(folder, parts));
  file_ = Fd(::openat(folder, parts.back().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file_) return errno_error("write " + shown(parts), errno);
  file_folder_ = folder;
  file_path_ = parts;
  has_written_ = true;
  return ok();
}

/// The target is a file that lies below the destination as well, usually from the same archive.
Status Unpack::link_file(const Parts& parts, const std::string& target) {
  TRY_ASSIGN(const Parts from, destination(target));
  if (parts.empty() || from.empty() || from == parts) {
    return refused(
        fmt::format("archive from the container: {} must be another file, got itself; check the container "
                    "before you copy from it",
                    quote(target)));
  }
  TRY_ASSIGN(const int opened, enter({from.begin(), from.end() - 1}, std::nullopt));
  const Fd there(::openat(opened, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));  // the next enter() closes the other
  struct stat what {};
  const bool is_file =
      ::fstatat(there.get(), from.back().c_str(), &what, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(what.st_mode);
  if (!is_file) {
    return refused(
        fmt::format("archive from the container: {} must be a link to a file that was copied before, got {}; "
                    "check the container before you copy from it",
                    shown(parts), quote(target)));
  }
  TRY_ASSIGN(const int folder, enter({parts.begin(), parts.end() - 1}, kUsualFolderMode));
  TRY(make_room(folder, parts));
  if (::linkat(there.get(), from.back().c_str(), folder, parts.back().c_str(), 0) != 0) {
    return errno_error("link " + shown(parts), errno);
  }
  return ok();
}

Status Unpack::data(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("write " + shown(file_path_), errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok();
}

Status Unpack::end() {
  file_.reset();
  return ok();
}

}  // namespace muster::cli
