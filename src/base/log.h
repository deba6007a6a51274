// The process log writes one line per event to stderr, logfmt or JSON: level, time, constant message, typed fields.
// Users get reasons from Events and conditions, not from here.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace muster {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <std::integral T>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}
};

enum class LogFormat { kLogfmt, kJson };

void set_log_level(LogLevel lowest);
void set_log_format(LogFormat format);
void log_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

}  // namespace muster

#define LOG_DEBUG(message, ...) ::muster::log_line(::muster::LogLevel::kDebug, message, {__VA_ARGS__})
#define LOG_INFO(message, ...) ::muster::log_line(::muster::LogLevel::kInfo, message, {__VA_ARGS__})
#define LOG_WARN(message, ...) ::muster::log_line(::muster::LogLevel::kWarn, message, {__VA_ARGS__})
#define LOG_ERROR(message, ...) ::muster::log_line(::muster::LogLevel::kError, message, {__VA_ARGS__})
