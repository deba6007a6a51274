#include "base/time.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>

#include "base/strings.h"

namespace muster {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

struct Civil {
  int year;
  unsigned month;
  unsigned day;
  int hour;
  int minute;
  int second;
  int nano;
};

Civil to_civil(Time t) {
  const auto day = floor<days>(t);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(t - day);
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .hour = static_cast<int>(clock.hours().count()),
          .minute = static_cast<int>(clock.minutes().count()),
          .second = static_cast<int>(clock.seconds().count()),
          .nano = static_cast<int>(clock.subseconds().count())};
}

std::string to_seconds(const Civil& c) {
  return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}"), c.year, c.month, c.day, c.hour, c.minute,
                     c.second);
}

/// Reads text from the left; every step returns whether it found what it expected.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  bool skip(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool number(std::size_t digits, int& out) {
    if (text_.size() < digits) return false;
    out = 0;
    for (const char c : text_.substr(0, digits)) {
      if (!is_digit(c)) return false;
      out = out * 10 + (c - '0');
    }
    text_.remove_prefix(digits);
    return true;
  }

  /// Reads the digits after the point as nanoseconds and drops finer ones.
  bool fraction(int& nanos) {
    nanos = 0;
    int scale = 100'000'000;
    bool any = false;
    while (!text_.empty() && is_digit(text_.front())) {
      nanos += (text_.front() - '0') * scale;
      scale /= 10;
      any = true;
      text_.remove_prefix(1);
    }
    return any;
  }

  char peek() const { return text_.empty() ? '\0' : text_.front(); }

 private:
  std::string_view text_;
};

bool parse_offset(Scanner& in, seconds& offset) {
  if (in.skip("Zz")) return true;
  const char sign = in.peek();
  int hours = 0;
  int minutes = 0;
  if (!in.skip("+-") || !in.number(2, hours) || !in.skip(":") || !in.number(2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  if (sign == '-') offset = -offset;
  return true;
}

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};

// A longer name stands before its prefixes.
constexpr std::array kUnits = {
    Unit{"ns", 1},         Unit{"us", 1'000},        Unit{"\u00b5s", 1'000},    Unit{"\u03bcs", 1'000},
    Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"h", 3'600'000'000'000},
};

/// Moves one component such as "1.5h" from `text` to `total`. Returns false when there is none or the sum overflows.
bool take_component(std::string_view& text, std::int64_t& total) {
  std::int64_t whole = 0;
  double fraction = 0;
  double scale = 0.1;
  std::size_t i = 0;
  bool any = false;
  for (; i < text.size() && is_digit(text[i]); ++i, any = true) {
    if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole)) return false;
    if (__builtin_add_overflow(whole, std::int64_t{text[i] - '0'}, &whole)) return false;
  }
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i, any = true) {
      fraction += (text[i] - '0') * scale;
      scale /= 10;
    }
  }
  if (!any) return false;
  text.remove_prefix(i);
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    const auto part = static_cast<std::int64_t>(fraction * static_cast<double>(unit.nanos) + 0.5);
    std::int64_t nanos = 0;
    return !__builtin_mul_overflow(whole, unit.nanos, &nanos) && !__builtin_add_overflow(nanos, part, &nanos) &&
           !__builtin_add_overflow(total, nanos, &total);
  }
  return false;
}

/// "2m30s", or "2m" when the smaller part is 0.
std::string two_units(std::int64_t big, char big_unit, std::int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", big, big_unit);
  return fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
}

}  // namespace

std::string format_rfc3339(Time t) {
  return to_seconds(to_civil(t)) + "Z";
}

std::string format_rfc3339_micro(Time t) {
  const Civil c = to_civil(t);
  return fmt::format("{}.{:06}Z", to_seconds(c), c.nano / 1000);
}

std::string format_rfc3339_nano(Time t) {
  const Civil c = to_civil(t);
  return fmt::format("{}.{:09}Z", to_seconds(c), c.nano);
}

std::optional<Time> parse_rfc3339(std::string_view text) {
  Scanner in(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nano = 0;
  seconds offset{0};
  const bool date_read = in.number(4, year) && in.skip("-") && in.number(2, month) && in.skip("-") && in.number(2, day);
  const bool clock_read = date_read && in.skip("Tt") && in.number(2, hour) && in.skip(":") && in.number(2, minute) &&
                          in.skip(":") && in.number(2, second);
  if (!clock_read) return std::nullopt;
  if (in.skip(".") && !in.fraction(nano)) return std::nullopt;
  if (!parse_offset(in, offset) || !in.done()) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const seconds since_epoch = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                              std::chrono::minutes(minute) + seconds(second) - offset;
  // Nanoseconds since 1970 cover parts of the years 1677 and 2262 and those between; see kTimeRange.
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  if (since_epoch.count() > kLimit || since_epoch.count() < -kLimit) return std::nullopt;
  return Time(since_epoch) + std::chrono::nanoseconds(nano);
}

std::string human_duration(Duration d) {
  // These are the steps of k8s.io/apimachinery's duration.HumanDuration, so that ages read the same in both tools.
  const std::int64_t total_seconds = std::chrono::duration_cast<seconds>(d).count();
  if (total_seconds < -1) return "<invalid>";
  if (total_seconds < 0) return "0s";  // the clocks of two machines may differ a little
  if (total_seconds < 120) return fmt::format("{}s", total_seconds);
  const std::int64_t minutes = total_seconds / 60;
  if (minutes < 10) return two_units(minutes, 'm', total_seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const std::int64_t whole_days = hours / 24;
  if (hours < 24 * 8) return two_units(whole_days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return fmt::format("{}d", whole_days);
  if (hours < 24 * 365 * 8) return two_units(whole_days / 365, 'y', whole_days % 365, 'd');
  return fmt::format("{}y", whole_days / 365);
}

std::optional<Duration> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  while (!text.empty()) {
    if (!take_component(text, total)) return std::nullopt;
  }
  return Duration{negative ? -total : total};
}

}  // namespace muster
