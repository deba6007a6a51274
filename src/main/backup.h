// `muster backup` and `muster restore`: the database as one file, and back.
#pragma once

#include <string>
#include <vector>

namespace muster {

int backup_command(const std::vector<std::string>& args);
int restore_command(const std::vector<std::string>& args);

}  // namespace muster
