// delete: deletes objects and, by default, waits until they are gone.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/selection.h"
#include "cli/objects/wait_until_gone.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

struct Doomed {
  Selected object;
  std::string uid;
};

class Delete final : public Command {
 public:
  void add_flags(Flags& flags) override {
    selection_.add_flags(flags);
    flags.add("wait", &wait_, "wait until the objects are deleted");
    flags.add("timeout", &timeout_, "how long to wait; 0 means no limit");
    flags.add("cascade", &cascade_, "how to delete what they own: background, foreground or orphan");
    flags.set_implied("cascade", "background");
    flags.set_choices("cascade", {"background", "foreground", "orphan"});
    flags.add("grace-period", &grace_period_, "seconds until their processes are killed; 1 with --now");
    flags.add("now", &now_, "same as --grace-period=1");
    flags.add("force", &force_, "with --grace-period=0: delete the objects without waiting for their processes to end");
    flags.add("ignore-not-found", &ignore_not_found_, "exit with 0 if the object does not exist");
    flags.add("dry-run", &dry_run_, "none, or server: check without deleting");
    flags.set_choices("dry-run", {"none", "server"});
    flags.add("output", &output_, "name: print only names", 'o');
    flags.set_choices("output", {"name"});
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto options = delete_options();
    if (!options) return session.fail(options.error());
    if (force_) {
      session.err("warning: with --force nothing confirms that the processes have ended; they may keep running\n");
    }
    auto selected = selection_.collect(session, words, "muster delete pj NAME   or: muster delete -f FILE");
    if (auto* failure = std::get_if<Failure>(&selected)) return session.fail(*failure);
    if (std::get<0>(selected).empty()) session.err("No resources found\n");
    int code = kExitOk;
    std::vector<Doomed> going;
    for (const Selected& one : std::get<0>(selected)) {
      Doomed doomed{.object = one, .uid = {}};
      const int ended = remove(session, doomed, *options);
      if (ended == kExitInterrupted || ended == kExitUnreachable) return ended;
      if (code == kExitOk) code = ended;
      if (ended == kExitOk && !doomed.uid.empty()) going.push_back(std::move(doomed));
    }
    if (!wait_ || options->dry_run) return code;
    std::optional<MonoTime> deadline;
    if (timeout_ && *timeout_ > 0s) deadline = session.loop().mono() + *timeout_;
    for (const Doomed& one : going) {
      const int ended = wait_until_gone(session, one.object, one.uid, deadline);
      if (ended != kExitOk) return ended;
    }
    return code;
  }

 private:
  Result<client::DeleteOptions> delete_options() const {
    const auto wrong = [](std::string message) {
      return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
    };
    client::DeleteOptions options;
    if (cascade_ == "background" || cascade_ == "true") {
      options.propagation_policy = "Background";
    } else if (cascade_ == "foreground") {
      options.propagation_policy = "Foreground";
    } else if (cascade_ == "orphan" || cascade_ == "false") {
      options.propagation_policy = "Orphan";
    } else {
      return wrong(fmt::format("--cascade: must be background, foreground or orphan, got {}", quote(cascade_)));
    }
    if (dry_run_ != "none" && dry_run_ != "server") {
      return wrong(fmt::format("--dry-run: must be none or server, got {}", quote(dry_run_)));
    }
    if (!output_.empty() && output_ != "name") {
      return wrong(fmt::format("--output: must be name, got {}", quote(output_)));
    }
    options.dry_run = dry_run_ == "server";
    options.grace_period_seconds = grace_period_;
    if (now_) {
      if (grace_period_) return wrong("--now and --grace-period cannot be given together");
      options.grace_period_seconds = 1;
    }
    if (grace_period_ && *grace_period_ < 0) options.grace_period_seconds.reset();  // as in kubectl, -1 is the default
    if (force_ && !grace_period_) options.grace_period_seconds = 0;
    if (force_ && options.grace_period_seconds != 0) return wrong("--force needs --grace-period=0");
    return options;
  }

  /// Sets doomed.uid, which identifies the object to wait for.
  int remove(Session& session, Doomed& doomed, const client::DeleteOptions& options) {
    const Selected& one = doomed.object;
    auto reply =
        session.await([&](client::OnDocument done) { session.api().remove(one.object(), options, std::move(done)); });
    if (!reply) {
      if (reply.error().reason == Reason::kNotFound && (ignore_not_found_ || !one.named)) return kExitOk;
      return session.fail(reply.error());
    }
    doomed.uid = deleted_uid(*reply);
    if (output_ == "name") {
      session.out(one.label() + "\n");
    } else {
      session.out(fmt::format("{} {} {}{}\n", one.kind.label(), quote(one.name), force_ ? "force deleted" : "deleted",
                              options.dry_run ? " (server dry run)" : ""));
    }
    return kExitOk;
  }

  Selection selection_;
  bool wait_ = true;
  std::optional<Duration> timeout_;
  std::string cascade_ = "background";
  std::optional<std::int64_t> grace_period_;
  bool now_ = false;
  bool force_ = false;
  bool ignore_not_found_ = false;
  std::string dry_run_ = "none";
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_delete() {
  return std::make_unique<Delete>();
}

}  // namespace muster::cli
