#include "cli/output/checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kNameColumn = 9;

const char* health_name(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kBad:
      return "bad";
    case Health::kAbsent:
      return "absent";
  }
  return "";
}

}  // namespace

std::string report_of(const std::vector<Check>& checks) {
  std::size_t column = kNameColumn;
  for (const Check& check : checks) column = std::max(column, check.name.size());
  std::string out;
  for (const Check& check : checks) {
    const char* sign = check.health == Health::kGood ? "✔" : check.health == Health::kBad ? "✖" : "–";
    out += fmt::format("{} {:<{}} {}\n", sign, check.name, column, check.finding);
    if (check.health == Health::kGood || check.fix.empty()) continue;
    for (const std::string& line : split(check.fix, '\n')) out += fmt::format("{:{}}fix: {}\n", "", column + 3, line);
  }
  return out;
}

json::Document checks_document(const std::vector<Check>& checks) {
  json::Array list;
  for (const Check& check : checks) {
    json::Object one = {{"name", check.name}, {"health", health_name(check.health)}, {"finding", check.finding}};
    if (check.health != Health::kGood && !check.fix.empty()) one.set("fix", check.fix);
    list.push_back(std::move(one));
  }
  return json::Object{{"good", !has_bad(checks)}, {"checks", std::move(list)}};
}

bool has_bad(const std::vector<Check>& checks) {
  return std::ranges::any_of(checks, [](const Check& check) { return check.health == Health::kBad; });
}

}  // namespace muster::cli
