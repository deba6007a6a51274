#include "client/logs/merged_logs.h"

namespace muster::client {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{256} << 10;  // of a log that is ahead of the others

std::vector<std::string> prefixes_of(const std::vector<LogToMerge>& logs) {
  std::vector<std::string> out;
  for (const LogToMerge& log : logs) out.push_back(log.prefix);
  return out;
}

}  // namespace

MergedLogs::MergedLogs(ApiClient& api, const std::vector<LogToMerge>& logs, bool show_times, MergedSink sink)
    : sink_(std::move(sink)), merger_(prefixes_of(logs), show_times), left_(logs.size()) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    streams_.push_back({.call = api.stream("GET", logs[i].target, sink_of(i))});
  }
}

net::ResponseSink MergedLogs::sink_of(std::size_t log) {
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [this, log](std::string_view bytes) {
    merger_.feed(log, bytes);
    pass_on();
  };
  sink.on_end = [this, log](const Status& how) {
    merger_.end(log);
    --left_;
    pass_on();
    sink_.on_end(how);
  };
  return sink;
}

void MergedLogs::pause(bool paused) {
  paused_ = paused;
  balance();
}

void MergedLogs::pass_on() {
  if (const std::string lines = merger_.take(); !lines.empty()) sink_.on_lines(lines);
  balance();
}

void MergedLogs::balance() {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Stream& stream = streams_[i];
    const bool should_wait = paused_ || merger_.waiting(i) > kMostWaiting;
    if (stream.waits == should_wait) continue;
    stream.waits = should_wait;
    should_wait ? stream.call->pause_input() : stream.call->resume_input();
  }
}

}  // namespace muster::client
