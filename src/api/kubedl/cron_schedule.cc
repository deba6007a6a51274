#include "api/kubedl/cron_schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace muster::api {

namespace {

constexpr std::array<std::string_view, 7> kNamed = {"yearly", "annually", "monthly", "weekly",
                                                    "daily",  "midnight", "hourly"};

struct CronField {
  int low;
  int high;
  std::string_view pattern;  // of a number
  std::string_view names;    // of `low` and the values after it, three letters each, separated by |
};
constexpr std::array<CronField, 5> kFields = {{
    {0, 59, "[0-5]?[0-9]", ""},
    {0, 23, "[01]?[0-9]|2[0-3]", ""},
    {1, 31, "0?[1-9]|[12][0-9]|3[01]", ""},
    {1, 12, "0?[1-9]|1[0-2]", "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"},
    {0, 6, "0?[0-6]", "sun|mon|tue|wed|thu|fri|sat"},
}};

constexpr std::string_view kDurationPattern = R"((([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+)";

bool is_digit(char c) {
  return '0' <= c && c <= '9';
}

/// The text before the first `separator` and the text after it, which is nullopt when there is no separator.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<int> value_of(const CronField& field, std::string_view text) {
  if (text.size() == 3) {
    const std::string name = to_lower(text);
    const auto names = split(field.names, '|');
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return field.low + static_cast<int>(found - names.begin());
  }
  if (text.empty() || text.size() > 2 || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const int value = text.size() == 1 ? text[0] - '0' : (text[0] - '0') * 10 + (text[1] - '0');
  if (value < field.low || value > field.high) return std::nullopt;
  return value;
}

bool is_step(std::string_view text) {
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, is_digit);
}

bool is_item(const CronField& field, std::string_view text) {
  const auto [range, step] = cut(text, '/');
  if (step && !is_step(*step)) return false;
  if (range == "*" || range == "?") return true;
  const auto [from, to] = cut(range, '-');
  return value_of(field, from) && (!to || value_of(field, *to));
}

bool is_duration(std::string_view text) {
  constexpr std::array<std::string_view, 7> kUnits = {"ns", "us", "µs", "ms", "s", "m", "h"};
  if (text.empty()) return false;
  while (!text.empty()) {
    const auto number = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view digits = text.substr(0, number);
    if (std::ranges::count(digits, '.') > 1 || std::ranges::none_of(digits, is_digit)) return false;
    text.remove_prefix(number);
    const std::string_view unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    if (std::ranges::find(kUnits, unit) == kUnits.end()) return false;
    text.remove_prefix(unit.size());
  }
  return true;
}

bool is_time_zone(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_digit(c) || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') ||
           std::string_view("_+-/").find(c) != std::string_view::npos;
  });
}

/// Removes "TZ=Asia/Shanghai " from the front; false when the prefix is not a valid time zone.
bool take_time_zone(std::string_view& text) {
  const auto [word, rest] = cut(text, ' ');
  const auto [key, zone] = cut(word, '=');
  if (!zone) return true;
  if ((key != "TZ" && key != "CRON_TZ") || !is_time_zone(*zone) || !rest) return false;
  text = rest->substr(std::min(rest->find_first_not_of(' '), rest->size()));
  return true;
}

/// Splits the text at spaces; a valid schedule has five fields.
std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields = split(text, ' ');
  std::erase(fields, "");
  return fields;
}

}  // namespace

std::string cron_schedule_pattern() {
  std::string fields;
  for (const CronField& field : kFields) {
    const std::string names = field.names.empty() ? "" : fmt::format("|(?i:{})", field.names);
    const std::string value = fmt::format("({}{})", field.pattern, names);
    const std::string item = fmt::format("([*?]|{0}(-{0})?)(/[1-9][0-9]*)?", value);
    fields += fmt::format("{0}{1}(,{1})*", fields.empty() ? "" : " +", item);
  }
  return fmt::format("^((CRON_)?TZ=[A-Za-z0-9_+/-]+ +)?(@({})|@every +{}|{})$",
                     join({kNamed.begin(), kNamed.end()}, "|"), kDurationPattern, fields);
}

bool is_cron_schedule(std::string_view text) {
  if (!take_time_zone(text)) return false;
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text.front() == '@') {
    const auto [word, rest] = cut(text.substr(1), ' ');
    if (word == "every" && rest) return is_duration(rest->substr(std::min(rest->find_first_not_of(' '), rest->size())));
    return !rest && std::ranges::find(kNamed, word) != kNamed.end();
  }
  const std::vector<std::string> fields = fields_of(text);
  if (fields.size() != kFields.size()) return false;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (const std::string& item : split(fields[i], ',')) {
      if (!is_item(kFields[i], item)) return false;
    }
  }
  return true;
}

std::optional<std::string> backward_range(std::string_view schedule) {
  if (!take_time_zone(schedule) || schedule.starts_with('@')) return std::nullopt;
  const std::vector<std::string> fields = fields_of(schedule);
  for (std::size_t i = 0; i < std::min(fields.size(), kFields.size()); ++i) {
    for (const std::string& item : split(fields[i], ',')) {
      const std::string range(cut(item, '/').first);
      const auto [from, to] = cut(range, '-');
      if (to && value_of(kFields[i], from) > value_of(kFields[i], *to)) return range;
    }
  }
  return std::nullopt;
}

}  // namespace muster::api
