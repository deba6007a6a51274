#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>

#include "base/strings.h"
#include "base/time.h"

namespace muster {
namespace {

// A longer value is a payload that does not belong in a log field; it is cut.
constexpr std::size_t kMaxValueBytes = 4096;

std::atomic<LogLevel> lowest_level{LogLevel::kInfo};

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

void append_field(std::string& line, std::string_view key, std::string_view value) {
  if (!line.empty()) line += ' ';
  line += key;
  line += '=';
  const bool cut = value.size() > kMaxValueBytes;
  std::string shown(value.substr(0, kMaxValueBytes));
  if (cut) shown += "...";
  line += needs_quotes(shown) ? quote(shown) : shown;
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

void log_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  std::string line;
  append_field(line, "level", level_name(level));
  append_field(line, "time", format_rfc3339_nano(std::chrono::system_clock::now()));
  append_field(line, "msg", message);
  for (const LogField& field : fields) append_field(line, field.key, field.value);
  line += '\n';
  // Lines longer than a pipe's atomic write must not interleave, hence the lock.
  static std::mutex sink;
  const std::lock_guard lock(sink);
  write_all(line);
}

}  // namespace muster
