// run: runs a script of the current folder as a job, without a manifest, and follows its output.
//
// The project becomes a claim that is mounted at its own path, so that the script finds its files and leaves its
// results where they would be without a job. What else the script names, and the Python that the user would get here,
// are mounted in the same way. cli/run has the decisions; this file asks and tells.
#include <fmt/core.h>

#include <optional>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/exec/talk.h"
#include "cli/jobs/find_job.h"
#include "cli/logs/follow_job.h"
#include "cli/objects/wait_until_gone.h"
#include "cli/run/flags.h"
#include "cli/run/job.h"
#include "cli/run/loopback.h"
#include "cli/run/prepare.h"
#include "cli/run/programs_line.h"
#include "cli/run/safe_folders.h"

namespace muster::cli {

namespace {

using json::Document;

class Run final : public Command {
 public:
  explicit Run(RunFrom from) : from_(std::move(from)), safe_(from_, read_file("/etc/passwd").value_or("")) {}

  void add_flags(Flags& flags) override { flags_.add_to(flags); }

  std::optional<Failure> check(const std::vector<std::string>& words) override {
    if (words.empty() && flags_.module.empty()) return usage_failure("name a script", "muster run train.py");
    auto prepared = prepare_run(from_, safe_, flags_, words);
    if (auto* failure = std::get_if<Failure>(&prepared)) return std::move(*failure);
    prepared_.emplace(std::get<0>(std::move(prepared)));
    return std::nullopt;
  }

  int run(Session& session, const std::vector<std::string>&) override { return create_and_follow(session, *prepared_); }

 private:
  int create_and_follow(Session& session, PreparedRun& prepared) const {
    if (flags_.replace) {
      if (const int code = delete_old(session); code != kExitOk) return code;
    }
    const auto made = create_run(session, prepared);
    if (!made) return session.fail(failure_to_create(made.error()));
    const Selected job{kind_of(run_kind()), session.ns(), made->string_at("metadata", "name")};
    tell(session, job, prepared);
    if (flags_.detach) return kExitOk;
    const int code = wait_for_end(session, job, *made, prepared);
    if (code == kExitInterrupted) {
      session.err(
          fmt::format("the job keeps running; muster logs -f {0} follows it, muster stop {0} ends it\n", job.name));
    }
    return code;
  }

  Failure failure_to_create(const Error& error) const {
    if (error.reason != Reason::kAlreadyExists || flags_.name.empty()) return failure_of(error);
    return {.code = exit_code(error.reason),
            .what = fmt::format("--name: there is a job {} already", quote(flags_.name)),
            .fix = fmt::format("--replace deletes it first, or: muster run --name {}-2 …", flags_.name)};
  }

  /// Waits until the old job is gone, so that its pods do not hold what the new ones need.
  int delete_old(Session& session) const {
    const Selected old{kind_of(run_kind()), session.ns(), flags_.name};
    client::DeleteOptions options;
    options.propagation_policy = "Foreground";
    const auto reply =
        session.await([&](client::OnDocument done) { session.api().remove(old.object(), options, std::move(done)); });
    if (!reply) return reply.error().reason == Reason::kNotFound ? kExitOk : session.fail(reply.error());
    session.err(fmt::format("{} deleted\n", old.label()));
    return wait_until_gone(session, old, deleted_uid(*reply), std::nullopt);
  }

  void tell(Session& session, const Selected& job, const PreparedRun& prepared) const {
    const std::string created = job.label() + " created\n";
    flags_.detach ? session.out(created) : session.err(created);
    session.err(programs_line(session, prepared, "muster run"));
    for (const std::string& note : prepared.folders->notes()) session.err(note + "\n");
    for (const std::string& note : loopback_notes(session, prepared)) session.err(note + "\n");
    for (const auto& [local, remote] : prepared.job.ports)
      session.err(fmt::format("port: http://127.0.0.1:{}\n", local));
  }

  int wait_for_end(Session& session, const Selected& job, const Document& object, const PreparedRun& prepared) const {
    if (flags_.wait) return make_wait()->run(session, {job.short_label()});
    if (flags_.stdin_ || flags_.tty) return talk_to_job(session, job, object, real_console());
    client::FollowOptions options;
    if (prepared.shape.ranks > 1) options.prefix = prefix_of(session);
    return follow_job(session, job, object, std::move(options));
  }

  RunFrom from_;
  SafeFolders safe_;
  RunFlags flags_;
  std::optional<PreparedRun> prepared_;  // by check()
};

}  // namespace

std::unique_ptr<Command> make_run() {
  return make_run(run_from_here());
}

std::unique_ptr<Command> make_run(RunFrom from) {
  return std::make_unique<Run>(std::move(from));
}

}  // namespace muster::cli
