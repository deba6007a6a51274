// Programs of this machine by name.
#pragma once

#include <string>

namespace muster {

/// The PATH of Debian's own images, which pods have; the PATH of the engine or of a user may contain folders that pods
/// do not see.
inline constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

bool is_executable(const std::string& path);
/// True in the folders of the system's programs, which every pod sees.
bool is_in_system_folder(const std::string& path);
/// Returns the first of this name in the folders of `path`; "" when there is none.
std::string find_program(const std::string& name, const std::string& path);

}  // namespace muster
