#include "agent/name_index.h"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "api/names.h"
#include "api/owners.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

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

}  // namespace

Status remember_name(const Paths& paths, const json::Document& pod) {
  const std::string path = paths.names(pod.string_at("metadata", "namespace"), pod.string_at("metadata", "name"));
  TRY(make_directories(std::filesystem::path(path).parent_path().string(), 0700));
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
  const auto text = read_file(paths.names(ns, pod));
  if (!text) return std::nullopt;
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() == 3) lines.push_back(words);
  }
  std::string owner;
  bool found = uid.empty();
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (found && (owner.empty() || (*line)[1] == owner)) {
      if ((*line)[0] != uid) return (*line)[0];
    } else if ((*line)[0] == uid) {
      found = true;
      owner = (*line)[1];
    }
  }
  return std::nullopt;
}

}  // namespace muster::agent
