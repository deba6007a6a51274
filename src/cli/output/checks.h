// The lines of `muster doctor` and `muster check`: what works, and how to fix the rest.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"

namespace muster::cli {

enum class Health { kGood, kBad, kAbsent };  // kAbsent: missing, but not everyone needs it

struct Check {
  std::string name;
  Health health = Health::kGood;
  std::string finding;
  std::string fix = {};  // a command, or what to change; shown unless the health is kGood
};

/// Returns one line per check, with its fix below.
std::string report_of(const std::vector<Check>& checks);
/// The same for programs.
json::Document checks_document(const std::vector<Check>& checks);
bool has_bad(const std::vector<Check>& checks);

}  // namespace muster::cli
