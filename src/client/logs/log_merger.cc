#include "client/logs/log_merger.h"

#include "client/logs/log_lines.h"

namespace muster::client {
namespace {

std::string_view time_of(std::string_view line) {
  return line.substr(0, line.find_first_of(" \n"));
}

}  // namespace

LogMerger::LogMerger(std::vector<std::string> prefixes, bool show_times)
    : show_times_(show_times), silent_(prefixes.size()) {
  for (std::string& prefix : prefixes) logs_.push_back({.prefix = std::move(prefix)});
}

void LogMerger::feed(std::size_t log, std::string_view bytes) {
  std::string& partial = logs_[log].partial;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    partial += bytes.substr(0, end + 1);
    add_line(log, std::exchange(partial, ""));
    bytes.remove_prefix(end + 1);
  }
  partial += bytes;
}

void LogMerger::end(std::size_t log) {
  if (logs_[log].ended) return;
  if (!logs_[log].partial.empty()) add_line(log, std::exchange(logs_[log].partial, "") + "\n");
  logs_[log].ended = true;
  if (logs_[log].lines.empty()) --silent_;
}

void LogMerger::add_line(std::size_t log, std::string line) {
  Log& to = logs_[log];
  if (to.lines.empty()) {
    heads_.emplace(comparable_time(time_of(line)), log);
    --silent_;
  }
  to.bytes += line.size();
  to.lines.push_back(std::move(line));
}

std::string LogMerger::take() {
  std::string out;
  while (!heads_.empty() && (!is_ordered_ || silent_ == 0)) take_first(heads_.begin()->second, out);
  return out;
}

void LogMerger::take_first(std::size_t log, std::string& out) {
  heads_.erase(heads_.begin());
  Log& from = logs_[log];
  show(from, from.lines.front(), out);
  from.bytes -= from.lines.front().size();
  from.lines.pop_front();
  if (!from.lines.empty()) {
    heads_.emplace(comparable_time(time_of(from.lines.front())), log);
  } else if (!from.ended) {
    ++silent_;
  }
}

void LogMerger::show(const Log& log, std::string_view line, std::string& out) const {
  out += log.prefix;
  if (show_times_) {
    out += line;
    return;
  }
  const std::size_t time = time_of(line).size();
  out += line.substr(line[time] == ' ' ? time + 1 : time);  // an empty line may be its time alone
}

}  // namespace muster::client
