#include "cli/logs/print_log.h"

#include <optional>

#include "client/logs/log_lines.h"

namespace muster::cli {
namespace {

int fail_to_read(Session& session, const Error& error) {
  Failure failure = failure_of(error);
  // An error about the container (not started, no such name) is not a usage error of the command line.
  if (failure.code == kExitUsage) failure.code = kExitFailed;
  return error.reason == Reason::kServiceUnavailable ? session.fail(error) : session.fail(failure);
}

}  // namespace

int print_log(Session& session, const std::string& target, const std::string& prefix) {
  client::LineCutter cutter(prefix);
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

int print_merged_logs(Session& session, const std::vector<client::LogToMerge>& logs, bool show_times) {
  std::vector<Error> failures;
  client::MergedSink sink;
  sink.on_lines = [&](std::string_view lines) { session.out_log(lines); };
  sink.on_end = [&](const Status& how) {
    if (!how) failures.push_back(how.error());
  };
  const client::MergedLogs merged(session.api(), logs, show_times, std::move(sink));
  if (session.wait_until([&] { return merged.over(); }) == Session::Waited::kInterrupted) return kExitInterrupted;
  int code = kExitOk;
  for (const Error& error : failures) {
    const int failed = fail_to_read(session, error);
    if (failed == kExitUnreachable) return failed;
    if (code == kExitOk) code = failed;
  }
  return code;
}

}  // namespace muster::cli
