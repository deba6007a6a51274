// `muster serve`: the engine in the foreground. The one place that knows every module and wires them.
#pragma once

#include <string>
#include <vector>

namespace muster {

int serve_command(const std::vector<std::string>& args);

}  // namespace muster
