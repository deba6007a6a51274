// Points in time and durations, and their two texts: RFC 3339 as the Kubernetes API writes it, and "5m" for people.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;                                   // wall clock, may jump
using MonoTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;  // for measuring

/// "2026-11-15T21:30:36Z": metav1.Time, whole seconds.
std::string format_rfc3339(Time t);
/// "2026-11-15T21:30:36.000123Z": metav1.MicroTime.
std::string format_rfc3339_micro(Time t);
/// "2026-11-15T21:30:36.000123456Z": log lines.
std::string format_rfc3339_nano(Time t);
/// Accepts any fraction and any offset; nullopt when the text is not a valid time or a Time cannot hold it.
std::optional<Time> parse_rfc3339(std::string_view text);
/// For messages about a text that parse_rfc3339 rejects: what a Time can surely hold.
inline constexpr const char* kTimeRange = "in the years 1678 to 2261";

/// The age as kubectl prints it: "45s", "5m", "3h12m", "2d".
std::string human_duration(Duration d);

/// Reads Go's notation, "90s", "1h30m", "250ms"; nullopt when the text is not a duration.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace muster
