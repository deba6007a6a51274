// `muster doctor`: looks at this machine and says, one line per thing, what works and what to do about the rest.
#pragma once

#include <string>
#include <vector>

namespace muster {

enum class Health { kGood, kBad, kAbsent };  // kAbsent: not there, and not needed by everybody

struct Check {
  std::string name;
  Health health = Health::kGood;
  std::string finding;
  std::string fix = {};  // a command, or what to change; shown unless all is good
};

/// One line per check, with its fix below.
std::string report_of(const std::vector<Check>& checks);

/// The checks by themselves; each looks at the machine as it is now.
std::vector<Check> check_machine(const std::string& data_dir);

}  // namespace muster
