#include "api/kubedl/cron_schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "base/time.h"

namespace muster::api {

namespace {

/// A word after @, and the fields that it stands for.
struct NamedSchedule {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<NamedSchedule, 7> kNamed = {{
    {"yearly", "0 0 1 1 *"},
    {"annually", "0 0 1 1 *"},
    {"monthly", "0 0 1 * *"},
    {"weekly", "0 0 * * 0"},
    {"daily", "0 0 * * *"},
    {"midnight", "0 0 * * *"},
    {"hourly", "0 * * * *"},
}};

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

std::string_view without_leading_spaces(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// Removes "TZ=Asia/Shanghai " from the front and returns its zone, "" when there is none; nullopt when the prefix is
/// not a valid time zone.
std::optional<std::string_view> take_time_zone(std::string_view& text) {
  const auto [word, rest] = cut(text, ' ');
  const auto [key, zone] = cut(word, '=');
  if (!zone) return "";
  if ((key != "TZ" && key != "CRON_TZ") || !is_time_zone(*zone) || !rest) return std::nullopt;
  text = without_leading_spaces(*rest);
  return zone;
}

/// Splits the text at spaces; a valid schedule has five fields.
std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields = split(text, ' ');
  std::erase(fields, "");
  return fields;
}

/// What a field matches.
struct Matches {
  std::uint64_t values = 0;  // a bit set
  bool any = false;          // an item is a star without a step
};

bool has_bit(std::uint64_t bits, int bit) {
  return (bits >> bit & 1) != 0;
}

/// `text` is a valid field whose ranges run forward.
Matches matches_of(const CronField& field, std::string_view text) {
  Matches out;
  for (const std::string& item : split(text, ',')) {
    const auto [range, step_text] = cut(item, '/');
    const bool star = range == "*" || range == "?";
    const auto [from, to] = cut(range, '-');
    const int low = star ? field.low : *value_of(field, from);
    int high = star ? field.high : low;
    if (to) {
      high = *value_of(field, *to);
    } else if (step_text) {
      high = field.high;  // "5/15" starts at 5
    }
    // A step beyond the range is the same as one that only just leaves it.
    const int step = step_text ? static_cast<int>(std::min<std::int64_t>(parse_int(*step_text).value_or(60), 60)) : 1;
    for (int value = low; value <= high; value += step) out.values |= std::uint64_t{1} << value;
    out.any = out.any || (star && step == 1);
  }
  return out;
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
  std::vector<std::string> names;
  for (const NamedSchedule& named : kNamed) names.emplace_back(named.name);
  return fmt::format("^((CRON_)?TZ=[A-Za-z0-9_+/-]+ +)?(@({})|@every +{}|{})$", join(names, "|"), kDurationPattern,
                     fields);
}

bool is_cron_schedule(std::string_view text) {
  if (!take_time_zone(text)) return false;
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (text.front() == '@') {
    const auto [word, rest] = cut(text.substr(1), ' ');
    if (word == "every" && rest) return is_duration(without_leading_spaces(*rest));
    return !rest && std::ranges::find(kNamed, word, &NamedSchedule::name) != kNamed.end();
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

std::optional<CronSchedule> parse_cron_schedule(std::string_view text) {
  if (!is_cron_schedule(text) || backward_range(text)) return std::nullopt;
  CronSchedule out;
  out.time_zone = *take_time_zone(text);
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const auto period = parse_duration(without_leading_spaces(text.substr(kEvery.size())));
    if (!period) return std::nullopt;
    out.every = std::max(std::chrono::floor<std::chrono::seconds>(*period), std::chrono::seconds(1));
    return out;
  }
  if (text.starts_with('@')) text = std::ranges::find(kNamed, text.substr(1), &NamedSchedule::name)->fields;
  const std::vector<std::string> fields = fields_of(text);
  const Matches minutes = matches_of(kFields[0], fields[0]);
  const Matches hours = matches_of(kFields[1], fields[1]);
  for (int hour = 0; hour < 24; ++hour) {
    for (int minute = 0; minute < 60; ++minute) {
      if (has_bit(hours.values, hour) && has_bit(minutes.values, minute)) {
        out.clock.push_back(std::chrono::hours(hour) + std::chrono::minutes(minute));
      }
    }
  }
  const Matches days = matches_of(kFields[2], fields[2]);
  const Matches weekdays = matches_of(kFields[4], fields[4]);
  out.days = days.values;
  out.months = matches_of(kFields[3], fields[3]).values;
  out.weekdays = weekdays.values;
  out.either_day = !days.any && !weekdays.any;
  return out;
}

std::string cron_job_name(const std::string& cron, TimeZone::Instant scheduled) {
  // Ten digits hold the seconds until the year 2286.
  constexpr std::int64_t kMost = 9'999'999'999;
  return fmt::format("{}-{}", cron, std::min(scheduled.time_since_epoch().count(), kMost));
}

}  // namespace muster::api
