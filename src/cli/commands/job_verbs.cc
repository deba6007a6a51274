// pause, resume, stop, rerun and scale: what people do with a job of any kind, named by its name alone.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/share_secrets.h"
#include "cli/run/ran_job.h"
#include "jobs/arguments.h"
#include "jobs/verbs.h"

namespace muster::cli {

namespace {

/// Sends what the verb stands for, and says what it came to.
int carry_out(Session& session, const FoundJob& found, jobs::Verb verb, std::int64_t replicas = 0) {
  const jobs::VerbResult result = jobs::plan_verb(verb, found.object, replicas);
  if (const auto* refusal = std::get_if<jobs::Refusal>(&result)) {
    return session.fail({.code = kExitFailed, .what = refusal->what, .why = refusal->why, .fix = refusal->fix});
  }
  const auto& plan = std::get<jobs::VerbPlan>(result);
  if (plan.patch) {
    client::ObjectName object = found.job.object();
    object.subresource = plan.patch->subresource;
    const auto patched = session.await([&](client::OnDocument done) {
      session.api().patch(object, client::PatchType::kMerge, plan.patch->body, {}, std::move(done));
    });
    if (!patched) return session.fail(patched.error());
  }
  session.out(fmt::format("{} {}\n", found.job.label(), plan.outcome));
  return kExitOk;
}

class JobVerb final : public Command {
 public:
  JobVerb(std::string word, jobs::Verb verb) : word_(std::move(word)), verb_(verb) {}
  void add_flags(Flags&) override {}

  int run(Session& session, const std::vector<std::string>& words) override {
    auto found = find_jobs(session, words, fmt::format("muster {} JOB…", word_));
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    int code = kExitOk;
    for (const FoundJob& job : std::get<0>(found)) {
      const int one = carry_out(session, job, verb_);
      if (code == kExitOk) code = one;
    }
    return code;
  }

 private:
  std::string word_;
  jobs::Verb verb_;
};

class Rerun final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("name", &name_, "name of the new job (default: JOB-2, JOB-3, …)");
    flags.keep_rest(&arguments_);
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto found = find_job(session, words, "muster rerun JOB [-- OTHER ARGUMENTS…]");
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    FoundJob& of = std::get<0>(found);
    if (arguments_) {
      if (const Status done = jobs::replace_arguments(of.object, *arguments_); !done) return session.fail(done.error());
    }
    RunObjects claims(session);
    const int code = create(session, of, claims);
    if (code != kExitOk) claims.take_back();
    return code;
  }

 private:
  int create(Session& session, FoundJob& of, RunObjects& claims) const {
    if (arguments_) {
      const Status shown = show_folders_of(*arguments_, session, claims, of.object);
      if (!shown) return session.fail(shown.error());
    }
    std::string name = name_.empty() ? jobs::next_name(of.job.name) : name_;
    for (;;) {
      const auto created = session.await([&](client::OnDocument done) {
        session.api().create(of.job.kind.resource, of.job.ns, jobs::fresh_copy(of.object, name), {}, std::move(done));
      });
      if (created) {
        share_secrets(session, of.job.ns, of.object, *created);
        break;
      }
      if (created.error().reason != Reason::kAlreadyExists || !name_.empty()) return session.fail(created.error());
      name = jobs::next_name(name);
    }
    session.out(fmt::format("{}/{} created\n", of.job.kind.label(), name));
    return kExitOk;
  }

  std::string name_;
  std::optional<std::vector<std::string>> arguments_;  // of the script, instead of those that it had
};

class Scale final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("replicas", &replicas_, "number of workers that the job should have");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    std::vector<std::string> job = words;
    if (!replicas_ && job.size() > 1) {
      replicas_ = parse_int(job.back());
      job.pop_back();
    }
    if (replicas_ && *replicas_ < 0) {
      return session.fail(usage_failure(fmt::format("the number of replicas must be 0 or more, got {}", *replicas_)));
    }
    if (!replicas_) {
      return session.fail(usage_failure("say how many replicas the job should have", kUsage));
    }
    auto found = find_job(session, job, kUsage);
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    return carry_out(session, std::get<0>(found), jobs::Verb::kScale, *replicas_);
  }

 private:
  static constexpr const char* kUsage = "muster scale JOB 4";

  std::optional<std::int64_t> replicas_;
};

}  // namespace

std::unique_ptr<Command> make_pause() {
  return std::make_unique<JobVerb>("pause", jobs::Verb::kPause);
}

std::unique_ptr<Command> make_resume() {
  return std::make_unique<JobVerb>("resume", jobs::Verb::kResume);
}

std::unique_ptr<Command> make_stop() {
  return std::make_unique<JobVerb>("stop", jobs::Verb::kStop);
}

std::unique_ptr<Command> make_rerun() {
  return std::make_unique<Rerun>();
}

std::unique_ptr<Command> make_scale() {
  return std::make_unique<Scale>();
}

}  // namespace muster::cli
