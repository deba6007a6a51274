#include "base/time_zone.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/files.h"
#include "base/strings.h"

namespace muster {

namespace {

using Seconds = TimeZone::Seconds;
using Instant = TimeZone::Instant;
using std::chrono::days;

constexpr const char* kDatabase = "/usr/share/zoneinfo";
constexpr const char* kLocal = "/etc/localtime";
constexpr int kLastWeek = 5;

Error broken(std::string_view what) {
  Error error;
  error.reason = Reason::kInternalError;
  error.message = fmt::format("not a compiled time zone: {}", what);
  return error;
}

/// Reads big-endian numbers from the left; the caller has checked that they are there.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  std::int64_t take(std::size_t size) {
    std::uint64_t value = static_cast<unsigned char>(bytes_.front()) >= 0x80 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes_.substr(0, size)) value = value << 8 | static_cast<unsigned char>(byte);
    bytes_.remove_prefix(size);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::string_view bytes_;
};

/// The counts in the header of one of the two blocks of a TZif file.
struct Header {
  static constexpr std::size_t kSize = 44;
  std::size_t ut_flags;
  std::size_t standard_flags;
  std::size_t leaps;
  std::size_t times;
  std::size_t types;
  std::size_t letters;

  static std::optional<Header> read(std::string_view bytes) {
    if (bytes.size() < kSize || !bytes.starts_with("TZif")) return std::nullopt;
    Numbers in(bytes.substr(20));
    std::array<std::size_t, 6> counts{};
    for (std::size_t& count : counts) {
      const std::int64_t read = in.take(4);
      if (read < 0 || static_cast<std::size_t>(read) > bytes.size()) return std::nullopt;
      count = static_cast<std::size_t>(read);
    }
    return Header{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  }
  std::size_t data_size(std::size_t time_size) const {
    return times * (time_size + 1) + types * 6 + letters + leaps * (time_size + 4) + standard_flags + ut_flags;
  }
};

// ---- the rule at the end ----

/// Reads a rule from the left; every step returns nullopt when it did not find what it expected.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  bool skip(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// "EST" or "<+0330>".
  bool name() {
    if (skip('<')) {
      const auto end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
    const auto end = std::ranges::find_if_not(text_, is_letter) - text_.begin();
    text_.remove_prefix(static_cast<std::size_t>(end));
    return end >= 3;
  }

  std::optional<int> number(int low, int high) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && digits < 4 && is_digit(text_[digits]); ++digits) {
      value = value * 10 + (text_[digits] - '0');
    }
    text_.remove_prefix(digits);
    if (digits == 0 || value < low || value > high) return std::nullopt;
    return value;
  }

  /// "5", "-3:30", "167:00:00".
  std::optional<Seconds> time() {
    const bool negative = skip('-');
    if (!negative) skip('+');
    const auto hours = number(0, 167);
    if (!hours) return std::nullopt;
    Seconds sum = std::chrono::hours(*hours);
    for (const Seconds unit : {Seconds(60), Seconds(1)}) {
      if (!skip(':')) break;
      const auto part = number(0, 59);
      if (!part) return std::nullopt;
      sum += *part * unit;
    }
    return negative ? -sum : sum;
  }

  /// "M3.2.0", "J60" or "59", with "/3" behind it for another time than 2 o'clock.
  std::optional<ZoneChange> change() {
    using Form = ZoneChange::Form;
    ZoneChange out;
    if (skip('M')) {
      const auto month = number(1, 12);
      if (!month || !skip('.')) return std::nullopt;
      const auto week = number(1, kLastWeek);
      if (!week || !skip('.')) return std::nullopt;
      const auto day = number(0, 6);
      if (!day) return std::nullopt;
      out = {.form = Form::kWeekday, .day = *day, .month = *month, .week = *week};
    } else {
      const bool julian = skip('J');
      const auto day = number(julian ? 1 : 0, 365);
      if (!day) return std::nullopt;
      out = {.form = julian ? Form::kJulian : Form::kDayOfYear, .day = *day};
    }
    if (!skip('/')) return out;
    const auto at = time();
    if (!at) return std::nullopt;
    out.time = *at;
    return out;
  }

 private:
  std::string_view text_;
};

/// Returns the local time of a change in a year.
Instant local_time_of(const ZoneChange& change, std::chrono::year year) {
  using Form = ZoneChange::Form;
  const std::chrono::sys_days first = year / std::chrono::January / 1;
  if (change.form == Form::kDayOfYear) return first + days(change.day) + change.time;
  if (change.form == Form::kJulian) {  // 29 February has no number
    const int leap = year.is_leap() && change.day >= 60 ? 1 : 0;
    return first + days(change.day - 1 + leap) + change.time;
  }
  const std::chrono::year_month month = year / change.month;
  const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
  const std::chrono::sys_days date = change.week == kLastWeek
                                         ? std::chrono::sys_days(month / weekday[std::chrono::last])
                                         : std::chrono::sys_days(month / weekday[static_cast<unsigned>(change.week)]);
  return date + change.time;
}

}  // namespace

std::optional<ZoneRule> parse_zone_rule(std::string_view text) {
  RuleReader in(text);
  ZoneRule rule;
  if (!in.name()) return std::nullopt;
  const auto west = in.time();  // a rule counts towards the west, everybody else towards the east
  if (!west) return std::nullopt;
  rule.standard = -*west;
  if (in.done()) return rule;
  if (!in.name()) return std::nullopt;
  rule.daylight = rule.standard + std::chrono::hours(1);
  if (!in.skip(',')) {
    const auto daylight_west = in.time();
    if (!daylight_west || !in.skip(',')) return std::nullopt;
    rule.daylight = -*daylight_west;
  }
  const auto begin = in.change();
  if (!begin || !in.skip(',')) return std::nullopt;
  const auto end = in.change();
  if (!end || !in.done()) return std::nullopt;
  rule.changes = {*begin, *end};
  return rule;
}

Result<TimeZone> TimeZone::parse(std::string_view tzif) {
  // The first block has times of four bytes, the second one, since version 2, of eight.
  auto header = Header::read(tzif);
  if (!header) return broken("it has no header");
  std::size_t time_size = 4;
  if (tzif[4] >= '2') {
    const std::size_t first_block = Header::kSize + header->data_size(time_size);
    if (first_block > tzif.size()) return broken("it ends early");
    tzif.remove_prefix(first_block);
    header = Header::read(tzif);
    if (!header) return broken("its second header is missing");
    time_size = 8;
  }
  tzif.remove_prefix(Header::kSize);
  if (header->types == 0 || header->data_size(time_size) > tzif.size()) return broken("it ends early");
  const std::string_view indices = tzif.substr(header->times * time_size, header->times);
  const std::string_view types = tzif.substr(header->times * (time_size + 1));
  const auto offset_of = [&](std::size_t type) { return Seconds(Numbers(types.substr(type * 6)).take(4)); };

  TimeZone zone;
  zone.first_ = offset_of(0);
  Numbers times(tzif);
  for (const char index : indices) {
    const auto type = static_cast<unsigned char>(index);
    if (type >= header->types) return broken("a change has no type");
    const Instant when{Seconds(times.take(time_size))};
    if (!zone.transitions_.empty() && when <= zone.transitions_.back().when) return broken("its changes have no order");
    zone.transitions_.push_back({when, offset_of(type)});
  }
  if (time_size == 4) return zone;
  std::string_view rule = tzif.substr(header->data_size(time_size));
  if (rule.size() < 2 || !rule.starts_with('\n') || !rule.ends_with('\n')) return broken("its last line is missing");
  rule = rule.substr(1, rule.size() - 2);
  if (rule.empty()) return zone;
  zone.rule_ = parse_zone_rule(rule);
  if (!zone.rule_) return broken(fmt::format("its last line is \"{}\"", rule));
  return zone;
}

TimeZone::Span TimeZone::at(Instant when) const {
  const auto next = std::ranges::upper_bound(transitions_, when, {}, &Transition::when);
  const Instant begin = next == transitions_.begin() ? Instant::min() : std::prev(next)->when;
  if (next != transitions_.end()) {
    return {begin, next->when, next == transitions_.begin() ? first_ : std::prev(next)->offset};
  }
  if (rule_) return by_rule(when, begin);
  return {begin, Instant::max(), transitions_.empty() ? first_ : transitions_.back().offset};
}

TimeZone::Span TimeZone::by_rule(Instant when, Instant since) const {
  Span span{since, Instant::max(), rule_->standard};
  if (!rule_->changes) return span;
  const std::chrono::year year = std::chrono::year_month_day(std::chrono::floor<days>(when)).year();
  // The years around are also considered, because the local year differs from that of UTC around New Year.
  std::vector<Transition> changes;
  for (int i = -1; i <= 1; ++i) {
    const auto& [begin, end] = *rule_->changes;
    changes.push_back({local_time_of(begin, year + std::chrono::years(i)) - rule_->standard, rule_->daylight});
    changes.push_back({local_time_of(end, year + std::chrono::years(i)) - rule_->daylight, rule_->standard});
  }
  std::ranges::sort(changes, {}, &Transition::when);
  for (const Transition& change : changes) {
    if (change.when > when) {
      span.end = change.when;
      break;
    }
    span.begin = std::max(since, change.when);
    span.offset = change.offset;
  }
  return span;
}

Result<TimeZone> find_time_zone(const std::string& name) {
  if (name == "UTC") return TimeZone();
  if (name.empty()) {
    const auto local = read_file(kLocal);
    // A machine without the file keeps UTC, for every program.
    return local ? TimeZone::parse(*local) : Result<TimeZone>(TimeZone());
  }
  if (name.find("..") == std::string::npos) {
    const auto bytes = read_file(fmt::format("{}/{}", kDatabase, name));
    if (bytes && bytes->starts_with("TZif")) return TimeZone::parse(*bytes);
  }
  Error unknown;
  unknown.reason = Reason::kInvalid;
  // Every database has this zone.
  unknown.message =
      read_file(fmt::format("{}/Europe/London", kDatabase))
          ? fmt::format("unknown time zone {}; write a name such as Asia/Shanghai", name)
          : fmt::format("time zone {} is not known here, because {} is missing; install tzdata", name, kDatabase);
  return unknown;
}

}  // namespace muster
