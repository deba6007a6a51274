#include "base/find_program.h"

#include <unistd.h>

#include "base/strings.h"

namespace muster {

bool is_executable(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name, const std::string& path) {
  for (const std::string& folder : split(path, ':')) {
    if (is_executable(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

}  // namespace muster
