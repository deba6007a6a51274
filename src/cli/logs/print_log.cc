#include "cli/logs/print_log.h"

#include <optional>

#include "cli/logs/log_lines.h"

namespace muster::cli {

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
  if (*end) return kExitOk;
  Failure failure = failure_of(end->error());
  // An error about the container (not started, no such name) is not a usage error of the command line.
  if (failure.code == kExitUsage) failure.code = kExitFailed;
  return end->error().reason == Reason::kServiceUnavailable ? session.fail(end->error()) : session.fail(failure);
}

}  // namespace muster::cli
