#include "agent/names/name_index.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

// The number of lines kept per name; beyond it the older half is dropped.
constexpr std::size_t kMostLines = 100;

Status keep_newer_half(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return ok();  // the first pod of this name has no file yet
  std::vector<std::string> lines = split(*text, '\n');
  if (lines.size() <= kMostLines) return ok();
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2));
  return write_file_atomically(path, join(lines, "\n"), 0600);
}

/// A pod that has had the name.
struct Holder {
  std::string uid;
  std::string owner;
  std::string attempt;
};

/// The oldest first.
std::vector<Holder> read_holders(const std::string& path) {
  std::vector<Holder> holders;
  const auto text = read_file(path);
  if (!text) return holders;
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() == 3) holders.push_back({.uid = words[0], .owner = words[1], .attempt = words[2]});
  }
  return holders;
}

bool has_folder(const Paths& paths, const Holder& holder) {
  return ::access(paths.pod(holder.uid).c_str(), F_OK) == 0;
}

}  // namespace

Status remember_name(const Paths& paths, const json::Document& pod) {
  const std::string path = paths.names(pod.string_at("metadata", "namespace"), pod.string_at("metadata", "name"));
  TRY(make_directories(fs::path(path).parent_path().string(), 0700));
  TRY(keep_newer_half(path));
  const json::Document* owner = api::controller_of(pod);
  const std::string& attempt = pod.string_at("metadata", "labels", api::kAttemptLabel);
  return linux_os::append_line(
      path,
      fmt::format("{} {} {}", pod.string_at("metadata", "uid"), owner == nullptr ? "-" : owner->string_at("uid"),
                  attempt.empty() ? "0" : attempt),
      0600);
}

std::optional<std::string> previous_holder(const Paths& paths, const std::string& ns, const std::string& pod,
                                           const std::string& uid) {
  const std::vector<Holder> holders = read_holders(paths.names(ns, pod));
  std::string owner;
  bool found = uid.empty();
  for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder) {
    if (found && (owner.empty() || holder->owner == owner)) {
      if (holder->uid != uid) return holder->uid;
    } else if (holder->uid == uid) {
      found = true;
      owner = holder->owner;
    }
  }
  return std::nullopt;
}

std::optional<std::string> holder_of_attempt(const Paths& paths, const std::string& ns, const std::string& pod,
                                             std::int64_t attempt) {
  const std::vector<Holder> holders = read_holders(paths.names(ns, pod));
  for (auto holder = holders.rbegin(); holder != holders.rend(); ++holder) {
    if (holder->owner == holders.back().owner && holder->attempt == std::to_string(attempt)) return holder->uid;
  }
  return std::nullopt;
}

bool has_held(const Paths& paths, const std::string& ns, const std::string& pod, const std::string& uid) {
  return std::ranges::any_of(read_holders(paths.names(ns, pod)), [&](const Holder& one) { return one.uid == uid; });
}

Status begin_namespace(const Paths& paths, Trash& trash, const std::string& ns, const std::string& uid) {
  const std::string marker = paths.namespace_of_names(ns);
  const auto known = read_file(marker);
  if (known && trim(*known) == uid) return ok();
  if (known) TRY(end_namespace(paths, trash, ns));
  TRY(make_directories(fs::path(marker).parent_path().string(), 0700));
  return write_file_atomically(marker, uid + "\n", 0600);
}

Status end_namespace(const Paths& paths, Trash& trash, const std::string& ns) {
  return trash.take(fs::path(paths.namespace_of_names(ns)).parent_path().string());
}

std::vector<std::string> outdated_names(const Paths& paths, const std::set<std::string>& going) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& ns : fs::directory_iterator(paths.names_folder(), none)) {
    std::error_code none_inside;
    for (const auto& entry : fs::directory_iterator(ns.path(), none_inside)) {
      const std::vector<Holder> holders = read_holders(entry.path().string());
      const auto is_gone = [&](const Holder& holder) {
        return going.contains(holder.uid) || !has_folder(paths, holder);
      };
      if (std::ranges::any_of(holders, is_gone)) out.push_back(entry.path().string());
    }
  }
  return out;
}

Status forget_gone_pods(const Paths& paths, const std::string& names_file) {
  std::string left;
  for (const Holder& holder : read_holders(names_file)) {
    if (has_folder(paths, holder)) left += fmt::format("{} {} {}\n", holder.uid, holder.owner, holder.attempt);
  }
  if (!left.empty()) return linux_os::overwrite_file(names_file, left, 0600);
  if (::unlink(names_file.c_str()) != 0 && errno != ENOENT) return errno_error("remove " + quote(names_file), errno);
  return ok();
}

}  // namespace muster::agent
