#include "base/find_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace muster {

bool is_executable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

bool is_in_system_folder(const std::string& path) {
  const auto inside = [&path](const std::string& folder) { return path == folder || path.starts_with(folder + "/"); };
  return path.starts_with("/lib") ||
         std::ranges::any_of(std::array{"/usr", "/bin", "/sbin", "/etc", "/opt", "/sys"}, inside);
}

std::string find_program(const std::string& name, const std::string& path) {
  for (const std::string& folder : split(path, ':')) {
    if (is_executable(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

}  // namespace muster
