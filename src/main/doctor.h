// `muster doctor`: checks this machine and prints, one line per check, what works and how to fix the rest.
#pragma once

#include <string>
#include <vector>

namespace muster {

enum class Health { kGood, kBad, kAbsent };  // kAbsent: missing, but not everyone needs it

struct Check {
  std::string name;
  Health health = Health::kGood;
  std::string finding;
  std::string fix = {};  // a command, or what to change; shown unless the health is kGood
};

/// Returns one line per check, with its fix below.
std::string report_of(const std::vector<Check>& checks);

/// Runs all checks on the current state of the machine.
std::vector<Check> check_machine(const std::string& data_dir);

}  // namespace muster
