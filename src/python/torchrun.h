// torchrun of a pod: this binary under that name, in front of the machine's programs in PATH. The machine's own
// torchrun runs the machine's Python, which does not see the packages of the environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::python {

inline constexpr std::string_view kTorchrun = "torchrun";
/// Where pods have it: after the environment's own programs and before the machine's.
inline constexpr const char* kLauncherFolder = "/run/muster/launchers";

/// Returns the command that replaces `torchrun ARGS…`, with the first Python in PATH; empty if there is none.
std::vector<std::string> torchrun_command(const std::vector<std::string>& args, const std::string& path);

/// Becomes that command; `environment` holds NAME=VALUE. Returns only if it cannot, with the exit code.
int torchrun_main(const std::vector<std::string>& args, const std::vector<std::string>& environment);

}  // namespace muster::python
