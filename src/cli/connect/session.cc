#include "cli/connect/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/visible_text.h"

namespace muster::cli {

namespace {

// The user never sees this error: fail() prints nothing after an interrupt.
Error interrupted_error() {
  return {.reason = Reason::kTimeout, .message = "interrupted"};
}

}  // namespace

Session::Session(Loop& loop, client::ApiClient& api, RunUntil run_until, Terminal terminal, std::string ns)
    : loop_(loop), api_(api), run_until_(std::move(run_until)), terminal_(std::move(terminal)), ns_(std::move(ns)) {}

void Session::out(std::string_view text) {
  terminal_.out(visible(text));
}

void Session::err(std::string_view text) {
  terminal_.err(visible(text));
}

void Session::out_log(std::string_view text) {
  if (terminal_.out_is_terminal && !raw_logs_) {
    terminal_.out(log_filter_.feed(text));
  } else {
    terminal_.out(text);
  }
}

int Session::fail(const Failure& failure) {
  if (interrupted_) return kExitInterrupted;
  terminal_.err(error_text_(failure));
  return failure.code;
}

int Session::fail(const Error& error) {
  const bool no_server = error.reason == Reason::kServiceUnavailable || error.reason == Reason::kBadGateway;
  return fail(no_server && explain_ ? explain_(error) : failure_of(error));
}

Result<json::Document> Session::await(const std::function<void(client::OnDocument)>& start) {
  // Shared, because a response may still arrive after an interrupt has ended the wait.
  auto reply = std::make_shared<std::optional<Result<json::Document>>>();
  start([reply](Result<json::Document> result) { *reply = std::move(result); });
  if (wait_until([&] { return reply->has_value(); }) != Waited::kDone) return interrupted_error();
  return **std::move(reply);
}

Result<json::Document> Session::await_last(const std::function<void(client::OnDocument)>& start, Duration limit) {
  auto reply = std::make_shared<std::optional<Result<json::Document>>>();
  start([reply](Result<json::Document> result) { *reply = std::move(result); });
  auto expired = std::make_shared<bool>(false);
  const Loop::Id timer = loop_.after(limit, [expired] { *expired = true; });
  run_until_([&] { return reply->has_value() || *expired; });
  loop_.cancel(timer);
  if (!reply->has_value()) return Error{.reason = Reason::kTimeout, .message = "the server does not answer"};
  return **std::move(reply);
}

Result<json::Document> Session::get(const client::ObjectName& object) {
  return await([&](client::OnDocument done) { api_.get(object, std::move(done)); });
}

Result<json::Document> Session::list(const client::ResourceName& resource, const std::string& ns,
                                     const client::ListOptions& options) {
  return await([&](client::OnDocument done) { api_.list(resource, ns, options, std::move(done)); });
}

Result<std::string> Session::get_text(const std::string& target, std::optional<Duration> limit) {
  struct Reply {
    std::string body;
    std::optional<Status> end;
  };
  auto reply = std::make_shared<Reply>();
  net::ResponseSink sink;
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_data = [reply](std::string_view data) { reply->body += data; };
  sink.on_end = [reply](Status status) { reply->end = std::move(status); };
  const auto call = api_.stream("GET", target, std::move(sink));
  const auto deadline = limit ? std::optional(loop_.mono() + *limit) : std::nullopt;
  const Waited waited = wait_until([&] { return reply->end.has_value(); }, deadline);
  if (waited == Waited::kTimedOut) {
    return Error{.reason = Reason::kServiceUnavailable,
                 .message = fmt::format("no answer to GET {} within {}", target, human_duration(*limit))};
  }
  if (waited == Waited::kInterrupted) return interrupted_error();
  TRY(*reply->end);
  return std::move(reply->body);
}

Session::Waited Session::wait_until(const std::function<bool()>& done, std::optional<MonoTime> deadline) {
  auto expired = std::make_shared<bool>(false);
  std::optional<Loop::Id> timer;
  if (deadline) {
    timer = loop_.after(std::max(Duration{0}, *deadline - loop_.mono()), [expired] { *expired = true; });
  }
  run_until_([&] { return done() || interrupted_ || *expired; });
  if (timer) loop_.cancel(*timer);
  if (interrupted_) return Waited::kInterrupted;
  return done() ? Waited::kDone : Waited::kTimedOut;
}

}  // namespace muster::cli
