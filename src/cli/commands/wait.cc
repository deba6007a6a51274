// wait: waits until objects meet a condition or, without --for, until jobs have ended. The exit code is the result.
#include <fmt/core.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/jobs/waiting.h"
#include "cli/objects/object_state.h"
#include "cli/objects/selection.h"
#include "cli/objects/wait_for.h"
#include "cli/run/ran_job.h"
#include "client/live_list.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Duration kFirstLook = 5s;

class Wait final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("for", &for_, "condition=NAME[=VALUE], jsonpath=PATH[=VALUE], delete or create");
    flags.set_choices("for", {"condition=", "jsonpath=", "delete", "create"});
    flags.add("timeout", &timeout_, "how long to wait (default 30s; without --for: no limit)");
    selection_.add_flags(flags);
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto what = WaitFor::parse(for_);
    if (!what) return session.fail(what.error());
    auto awaited = selection_.collect(session, words, "muster wait pj/NAME   or: muster wait --for=delete pod/NAME");
    if (auto* failure = std::get_if<Failure>(&awaited)) return session.fail(*failure);
    if (std::get<0>(awaited).empty() && what->what() != WaitFor::What::kDeleted) {
      return session.fail({.code = kExitNotFound, .what = "no matching objects found"});
    }
    std::optional<MonoTime> deadline;
    if (timeout_) {
      deadline = session.loop().mono() + (*timeout_ < 0s ? Duration(168h) : *timeout_);
    } else if (what->what() != WaitFor::What::kFinished) {
      deadline = session.loop().mono() + 30s;
    }
    int code = kExitOk;
    for (const Selected& one : std::get<0>(awaited)) {
      const int ended = wait_for_one(session, one, *what, deadline);
      if (ended == kExitInterrupted || ended == kExitUnreachable) return ended;
      if (code == kExitOk) code = ended;
    }
    return code;
  }

 private:
  int wait_for_one(Session& session, const Selected& one, const WaitFor& what, std::optional<MonoTime> deadline) {
    bool met = false;
    bool looked = false;
    WaitingLine line(session, one, WaitingLine::Until::kEnded);
    json::Document last;
    std::optional<Error> failure;
    const auto look = [&](const json::Document* object) {
      looked = true;
      if (met || failure) return;
      // A missing object is probably a mistyped name, unless the condition is its creation or deletion.
      if (object == nullptr && what.what() != WaitFor::What::kDeleted && what.what() != WaitFor::What::kCreated) {
        failure = Error{.reason = Reason::kNotFound,
                        .message = last.is_null() ? fmt::format("{} not found", one.label())
                                                  : fmt::format("{} was deleted while waiting", one.label())};
        return;
      }
      if (object != nullptr) last = *object;
      met = what.met(object);
      if (!met && object != nullptr) line.saw(*object);
    };
    client::LiveSink sink;
    sink.on_list = [&](const json::Document& list) {
      const json::Array& items = list.array_at("items");
      look(items.empty() ? nullptr : &items.front());
    };
    sink.on_event = [&](const std::string& type, const json::Document& object) {
      look(type == "DELETED" ? nullptr : &object);
    };
    sink.on_failed = [&](const Error& error) { failure = error; };
    client::LiveList live(session.loop(), session.api(),
                          {.resource = one.kind.resource, .ns = one.ns, .field_selector = "metadata.name=" + one.name},
                          std::move(sink));
    live.start();
    // Fetch the object once even if the time-out is shorter: a missing object differs from one that is not ready.
    std::optional<MonoTime> first_look;
    if (deadline) first_look = std::max(*deadline, session.loop().mono() + kFirstLook);
    session.wait_until([&] { return looked || failure.has_value(); }, first_look);
    switch (session.wait_until([&] { return met || failure.has_value(); }, deadline)) {
      case Session::Waited::kInterrupted:
        return kExitInterrupted;
      case Session::Waited::kTimedOut:
        return session.fail(
            {.code = kExitTimedOut,
             .what = fmt::format("timed out waiting for {} on {}", for_.empty() ? "the end" : for_, one.label()),
             .why = line.state().empty() ? "" : "it is " + line.state(),
             .fix = "muster describe " + one.short_label()});
      case Session::Waited::kDone:
        break;
    }
    if (failure) return session.fail(*failure);
    return report(session, one, what, last);
  }

  static int report(Session& session, const Selected& one, const WaitFor& what, const json::Document& last) {
    if (what.what() != WaitFor::What::kFinished) {
      session.out(
          fmt::format("{} {}\n", one.label(), what.what() == WaitFor::What::kDeleted ? "deleted" : "condition met"));
      return kExitOk;
    }
    if (const ObjectEnd end = object_end(last); end != ObjectEnd::kSucceeded) {
      const int code = session.fail(
          {.code = kExitFailed,
           .what = fmt::format("{} {}", one.label(), end == ObjectEnd::kStopped ? "was stopped" : "failed"),
           .why = object_message(last),
           .fix = "muster logs " + one.short_label()});
      for (const std::string& hint : hints_about_job(session, last)) session.err(hint + "\n");
      return code;
    }
    session.out(fmt::format("{} succeeded\n", one.label()));
    return kExitOk;
  }

  std::string for_;
  std::optional<Duration> timeout_;
  Selection selection_;
};

}  // namespace

std::unique_ptr<Command> make_wait() {
  return std::make_unique<Wait>();
}

}  // namespace muster::cli
