// `muster up`, `down`, `status`: the engine in the background.
#pragma once

#include <string>
#include <vector>

namespace muster {

int up_command(const std::vector<std::string>& args);
int down_command(const std::vector<std::string>& args);
int status_command(const std::vector<std::string>& args);

}  // namespace muster
