#include "base/prometheus.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/strings.h"

namespace muster::prometheus {

namespace {

std::string in_braces(const std::string& labels) {
  return labels.empty() ? "" : "{" + labels + "}";
}

/// Adds nothing when /proc cannot be read.
void append_memory(std::string& out) {
  const auto statm = read_file("/proc/self/statm");
  if (!statm) return;
  const std::vector<std::string> parts = split(trim(*statm), ' ');
  const auto pages = parts.size() > 1 ? parse_int(parts[1]) : std::nullopt;
  if (!pages) return;
  append_one(out, "process_resident_memory_bytes", "gauge", "Memory of the process in RAM.",
             static_cast<std::uint64_t>(*pages) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

void append_cpu(std::string& out) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  append_head(out, "process_cpu_seconds_total", "counter", "Processor time of the process.");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  out += fmt::format("process_cpu_seconds_total {}\n", seconds(used.ru_utime) + seconds(used.ru_stime));
}

}  // namespace

std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out;
}

void append_head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void append_one(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                std::uint64_t value) {
  append_head(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

void append_bucket(std::string& out, std::string_view name, const std::string& labels, double upper,
                   std::uint64_t count) {
  out += fmt::format("{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, labels.empty() ? "" : ",", upper, count);
}

void append_end(std::string& out, std::string_view name, const std::string& labels, double sum, std::uint64_t count) {
  out += fmt::format("{}_bucket{{{}{}le=\"+Inf\"}} {}\n", name, labels, labels.empty() ? "" : ",", count);
  out += fmt::format("{}_sum{} {}\n", name, in_braces(labels), sum);
  out += fmt::format("{}_count{} {}\n", name, in_braces(labels), count);
}

void append_process(std::string& out) {
  append_memory(out);
  append_cpu(out);
}

}  // namespace muster::prometheus
