#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>

#include "base/strings.h"
#include "base/time.h"
#include "base/visible_text.h"

namespace muster {
namespace {

// A longer value is a payload that does not belong in a log field; it is cut.
constexpr std::size_t kMaxValueBytes = 4096;

std::atomic<LogLevel> lowest_level{LogLevel::kInfo};
std::atomic<LogFormat> log_format{LogFormat::kLogfmt};

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  for (const char c : value) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) return true;
  }
  return false;
}

std::string cut_value(std::string_view value) {
  std::string shown(value.substr(0, kMaxValueBytes));
  if (value.size() > kMaxValueBytes) shown += "...";
  return shown;
}

void append_logfmt(std::string& line, std::string_view key, std::string_view value) {
  if (!line.empty()) line += ' ';
  line += key;
  line += '=';
  const std::string shown = cut_value(value);
  line += needs_quotes(shown) ? quote(shown) : shown;
}

/// JSON knows few escapes, so what is not one of those is shown as its text.
void append_json_text(std::string& line, std::string_view text) {
  line += '"';
  for (std::size_t i = 0; i < text.size();) {
    const Escape escape = escape_at(text.substr(i));
    const bool is_of_json = escape.text == "\\n" || escape.text == "\\t" || escape.text == "\\r";
    if (text[i] == '"' || text[i] == '\\' || (!escape.text.empty() && !is_of_json)) line += '\\';
    line += escape.text.empty() ? text.substr(i, escape.length) : escape.text;
    i += escape.length;
  }
  line += '"';
}

void append_json(std::string& line, std::string_view key, std::string_view value) {
  line += line.empty() ? '{' : ',';
  append_json_text(line, key);
  line += ':';
  append_json_text(line, cut_value(value));
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // there is nowhere left to report it
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void set_log_level(LogLevel lowest) {
  lowest_level.store(lowest, std::memory_order_relaxed);
}

void set_log_format(LogFormat format) {
  log_format.store(format, std::memory_order_relaxed);
}

void log_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  const bool is_json = log_format.load(std::memory_order_relaxed) == LogFormat::kJson;
  const auto append = is_json ? append_json : append_logfmt;
  std::string line;
  append(line, "level", level_name(level));
  append(line, "time", format_rfc3339_nano(std::chrono::system_clock::now()));
  append(line, is_json ? "message" : "msg", message);
  for (const LogField& field : fields) append(line, field.key, field.value);
  line += is_json ? "}\n" : "\n";
  // Lines longer than a pipe's atomic write must not interleave, hence the lock.
  static std::mutex sink;
  const std::lock_guard lock(sink);
  write_all(line);
}

}  // namespace muster
