#include "cli/logs/print_log.h"

#include <algorithm>
#include <optional>

#include "cli/logs/log_lines.h"
#include "cli/logs/log_merger.h"

namespace muster::cli {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // of a log that is ahead of the others

int fail_to_read(Session& session, const Error& error) {
  Failure failure = failure_of(error);
  // An error about the container (not started, no such name) is not a usage error of the command line.
  if (failure.code == kExitUsage) failure.code = kExitFailed;
  return error.reason == Reason::kServiceUnavailable ? session.fail(error) : session.fail(failure);
}

/// Reads several logs at once. The calls are declared last: their callbacks use the rest.
struct Merging {
  Merging(Session& s, std::vector<std::string> prefixes, bool show_times)
      : session(s),
        ends(prefixes.size()),
        paused(prefixes.size(), false),
        merger(std::move(prefixes), LogMerger::Order::kByTime, show_times) {}

  Session& session;
  std::vector<std::optional<Status>> ends;
  std::vector<bool> paused;
  LogMerger merger;
  std::vector<std::unique_ptr<net::Call>> calls;

  net::ResponseSink sink(std::size_t log) {
    net::ResponseSink sink;
    sink.on_head = [](int, const net::Headers&) {};
    sink.on_data = [this, log](std::string_view bytes) {
      merger.feed(log, bytes);
      print();
    };
    sink.on_end = [this, log](Status status) {
      ends[log] = std::move(status);
      merger.end(log);
      print();
    };
    return sink;
  }

  void print() {
    if (const std::string lines = merger.take(); !lines.empty()) session.out_log(lines);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const bool is_ahead = merger.waiting(i) > kMostWaiting;
      if (is_ahead == paused[i]) continue;
      paused[i] = is_ahead;
      is_ahead ? calls[i]->pause_input() : calls[i]->resume_input();
    }
  }

  bool is_over() const {
    return std::ranges::all_of(ends, [](const auto& end) { return end.has_value(); });
  }
};

}  // namespace

int print_log(Session& session, const std::string& target, const std::string& prefix) {
  LineCutter cutter(prefix);
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [&](std::string_view bytes) { session.out_log(cutter.feed(bytes)); };
  sink.on_end = [&](Status status) { end = std::move(status); };
  // The call is declared last, so that it is destroyed before the variables that the callbacks use.
  const auto call = session.api().stream("GET", target, std::move(sink));
  if (session.wait_until([&] { return end.has_value(); }) == Session::Waited::kInterrupted) return kExitInterrupted;
  session.out_log(cutter.finish());
  return *end ? kExitOk : fail_to_read(session, end->error());
}

int print_merged_logs(Session& session, const std::vector<LogToMerge>& logs, bool show_times) {
  std::vector<std::string> prefixes;
  for (const LogToMerge& log : logs) prefixes.push_back(log.prefix);
  Merging merging(session, std::move(prefixes), show_times);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    merging.calls.push_back(session.api().stream("GET", logs[i].target, merging.sink(i)));
  }
  const auto waited = session.wait_until([&] { return merging.is_over(); });
  if (waited == Session::Waited::kInterrupted) return kExitInterrupted;
  int code = kExitOk;
  for (const auto& end : merging.ends) {
    if (*end) continue;
    const int failed = fail_to_read(session, (*end).error());
    if (failed == kExitUnreachable) return failed;
    if (code == kExitOk) code = failed;
  }
  return code;
}

}  // namespace muster::cli
