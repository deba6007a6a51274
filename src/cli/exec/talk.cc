#include "cli/exec/talk.h"

#include <fmt/core.h>

#include "cli/exec/exec_run.h"
#include "cli/jobs/waiting.h"
#include "cli/logs/follow_job.h"
#include "cli/objects/object_state.h"
#include "client/live_list.h"
#include "client/logs/log_target.h"

namespace muster::cli {

namespace {

using json::Document;

bool has_ended(const Document& job) {
  return object_end(job) != ObjectEnd::kUnfinished;
}

struct LastSeen {
  Document object;
  bool deleted = false;
  std::optional<Error> failure = {};
};

/// Watches the job until it ends, is deleted, or `done` says so.
LastSeen watch_job(Session& session, const Selected& job, const Document& object, WaitingLine::Until until,
                   const std::function<bool(const Document&)>& done) {
  LastSeen last{.object = object};
  WaitingLine line(session, job, until);
  const auto look = [&](const Document& now) {
    last.object = now;
    line.saw(now);
  };
  client::LiveSink sink;
  sink.on_list = [&](const Document& list) {
    last.deleted = list.array_at("items").empty();
    for (const Document& now : list.array_at("items")) look(now);
  };
  sink.on_event = [&](const std::string& type, const Document& now) {
    last.deleted = type == "DELETED";
    look(now);
  };
  sink.on_failed = [&](const Error& error) { last.failure = error; };
  client::LiveList live(session.loop(), session.api(),
                        {.resource = job.kind.resource, .ns = job.ns, .field_selector = "metadata.name=" + job.name},
                        std::move(sink));
  live.start();
  session.wait_until([&] { return last.failure || last.deleted || has_ended(last.object) || done(last.object); });
  return last;
}

struct Attachment {
  std::optional<Result<int>> end;  // nullopt: the user interrupted it
  bool has_shown = false;          // something of the script's output
};

Attachment attach_to(Session& session, const Document& pod, const Console& console) {
  const std::string container = client::default_container(pod);
  ExecRun run;
  run.request = {
      .ns = session.ns(), .pod = pod.string_at("metadata", "name"), .container = container, .with_stdout = true};
  for (const Document& one : pod.array_at("spec", "containers")) {
    if (one.string_at("name") != container) continue;
    run.request.with_stdin = one.bool_at("stdin");
    run.request.tty = one.bool_at("tty");
  }
  run.request.with_stderr = !run.request.tty;
  run.input = run.request.with_stdin ? console.input : -1;
  run.console = &console;
  Attachment out;
  run.on_stdout = [&](std::string_view bytes) {
    out.has_shown = true;
    session.out_exact(bytes);
  };
  run.on_stderr = [&](std::string_view bytes) {
    out.has_shown = true;
    session.terminal().err(bytes);
  };
  out.end = run_exec_on_terminal(session, run);
  return out;
}

int wait_and_report(Session& session, const Selected& job, const Document& object) {
  const LastSeen last =
      watch_job(session, job, object, WaitingLine::Until::kEnded, [](const Document&) { return false; });
  if (session.interrupted()) return kExitInterrupted;
  if (last.failure) return session.fail(*last.failure);
  return report_end(session, job, last.object, last.deleted);
}

}  // namespace

int talk_to_job(Session& session, const Selected& job, const Document& object, const Console& console) {
  const LastSeen started = watch_job(session, job, object, WaitingLine::Until::kStarted,
                                     [](const Document& now) { return object_phase(now) == "Running"; });
  if (session.interrupted()) return kExitInterrupted;
  const auto follow = [&] { return follow_job(session, job, started.object, {}); };
  if (started.failure || started.deleted || has_ended(started.object)) return follow();
  const auto pod = find_running_pod(session, job.ns, job.short_label());
  if (session.interrupted()) return kExitInterrupted;
  if (!std::holds_alternative<Document>(pod)) return follow();  // it has ended in the meantime
  const Attachment attached = attach_to(session, std::get<0>(pod), console);
  if (!attached.end) return kExitInterrupted;
  if (*attached.end) return wait_and_report(session, job, started.object);
  const auto again = session.get(job.object());
  const bool is_running = again && object_phase(*again) == "Running" &&
                          std::holds_alternative<Document>(find_running_pod(session, job.ns, job.short_label()));
  if (!attached.has_shown && !is_running) return follow();
  session.err(fmt::format("note: the script does not receive your input: {}; muster attach -it {} connects you again\n",
                          attached.end->error().message, job.name));
  return attached.has_shown ? wait_and_report(session, job, started.object) : follow();
}

}  // namespace muster::cli
