#include "agent/logs/log_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agent/pod/recover.h"
#include "base/strings.h"

namespace muster::agent {

LogFiles::LogFiles(std::string pod_folder, std::string container, int run)
    : pod_folder_(std::move(pod_folder)), container_(std::move(container)), run_(run), is_version_1_(false) {
  // In version 1 every run had a shim of its own, and its folder held the log.
  is_version_1_ =
      segments().empty() && ::access(fmt::format("{}/{}/{}.log", pod_folder_, run_, container_).c_str(), F_OK) == 0;
}

std::string LogFiles::folder() const {
  return is_version_1_ ? fmt::format("{}/{}", pod_folder_, run_) : fmt::format("{}/logs/{}", pod_folder_, container_);
}

std::string LogFiles::launch_folder() const {
  const int launch = is_version_1_ ? run_ : last_launch(pod_folder_).value_or(0);
  return fmt::format("{}/{}", pod_folder_, launch);
}

std::string LogFiles::path(int segment) const {
  return is_version_1_ ? fmt::format("{}/{}.log", folder(), container_)
                       : fmt::format("{}/{}.{}.log", folder(), run_, segment);
}

std::string LogFiles::state_path() const {
  return fmt::format("{}/{}.state", folder(), run_);
}

std::vector<int> LogFiles::segments() const {
  if (is_version_1_) return {0};
  std::vector<int> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder(), none)) {
    const std::vector<std::string> parts = split(entry.path().filename().string(), '.');
    if (parts.size() != 3 || parts[0] != std::to_string(run_) || parts[2] != "log") continue;
    if (const auto number = parse_int(parts[1])) found.push_back(static_cast<int>(*number));
  }
  std::ranges::sort(found);
  return found;
}

Fd LogFiles::open(int segment) const {
  return Fd(::open(path(segment).c_str(), O_RDONLY | O_CLOEXEC));
}

std::optional<int> LogFiles::after(int segment, const Fd& file) const {
  if (is_version_1_) return std::nullopt;
  if (::access(path(segment + 1).c_str(), F_OK) == 0) return segment + 1;
  struct stat what {};
  const bool is_removed = ::fstat(file.get(), &what) == 0 && what.st_nlink == 0;
  if (!is_removed) return std::nullopt;
  const std::vector<int> left = segments();
  const auto next = std::ranges::upper_bound(left, segment);
  return next == left.end() ? std::nullopt : std::optional(*next);
}

std::optional<int> last_run(const std::string& pod_folder, const std::string& container) {
  std::optional<int> last;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("{}/logs/{}", pod_folder, container), none)) {
    const auto number = parse_int(split(entry.path().filename().string(), '.')[0]);
    if (number && (!last || *number > *last)) last = static_cast<int>(*number);
  }
  if (last) return last;
  const auto launch = last_launch(pod_folder);
  if (launch && LogFiles(pod_folder, container, *launch).is_version_1()) return launch;
  return std::nullopt;
}

}  // namespace muster::agent
