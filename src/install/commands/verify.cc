// verify: trains two ranks on the cluster, shows their loss and deletes the job.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/jobs/job_pods.h"
#include "cli/jobs/waiting.h"
#include "cli/objects/object_state.h"
#include "client/logs/log_target.h"
#include "install/commands/cluster_objects.h"
#include "install/commands/commands.h"
#include "install/objects/verify_job.h"

namespace muster::install {

namespace {

constexpr Duration kDeleteLimit = std::chrono::seconds(10);

class Verify final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("image", &image_, "image with Python and PyTorch");
    flags.require("image");
    flags.add("timeout", &timeout_, "how long the job may take");
    flags.add("keep", &keep_, "leave the job for you to look at");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    const auto job = create(session);
    if (!job) return session.fail(job.error());
    session.out(fmt::format("{} created in {}\n", selected_.label(), session.ns()));
    const int code = follow(session);
    if (keep_) return code;
    const auto gone = session.await_last(
        [&](client::OnDocument done) {
          client::DeleteOptions options;
          options.propagation_policy = "Background";
          session.api().remove(selected_.object(), options, std::move(done));
        },
        kDeleteLimit);
    if (gone || gone.error().reason == Reason::kNotFound) return code;
    return session.fail(in_context("delete " + selected_.label(), gone.error()));
  }

 private:
  Result<json::Document> create(cli::Session& session) {
    Result<json::Document> made = Error{.reason = Reason::kNotFound, .message = "no kind"};
    for (const char* typed : {"pytorchtrainingjob", "pytorchjob"}) {
      const api::Resource& kind = *api::find_typed(typed);
      made = session.await([&](client::OnDocument done) {
        session.api().create(kind, session.ns(), verify_job(kind, image_), {.field_validation = "Strict"},
                             std::move(done));
      });
      if (made) {
        selected_ = {.kind = cli::kind_of(kind), .ns = session.ns(), .name = made->string_at("metadata", "name")};
        return made;
      }
      if (made.error().reason != Reason::kNotFound) return made;
    }
    return Error{
        .reason = Reason::kNotFound,
        .message = "the cluster has neither PyTorchTrainingJobs nor PyTorchJobs; install them: muster install"};
  }

  int follow(cli::Session& session) {
    cli::WaitingLine waiting(session, selected_, cli::WaitingLine::Until::kEnded);
    const MonoTime deadline = session.loop().mono() + timeout_;
    for (;;) {
      const auto job = session.get(selected_.object());
      if (!job) return session.fail(job.error());
      waiting.saw(*job);
      const cli::ObjectEnd end = cli::object_end(*job);
      if (end == cli::ObjectEnd::kSucceeded) return show(session, *job);
      if (end != cli::ObjectEnd::kUnfinished) {
        return session.fail({.code = cli::kExitFailed,
                             .what = fmt::format("{} failed", selected_.label()),
                             .why = cli::object_message(*job),
                             .fix = keep_ ? "muster logs " + selected_.name : "muster verify --keep keeps the job"});
      }
      if (session.loop().mono() >= deadline) {
        const std::string state = waiting.state();
        return session.fail(
            {.code = cli::kExitTimedOut,
             .what = fmt::format("{} has not ended after {}", selected_.label(), human_duration(timeout_)),
             .why = state.empty() ? "nobody has begun to run it" : state,
             .fix = "muster check"});
      }
      if (!rest(session)) return cli::kExitInterrupted;
    }
  }

  int show(cli::Session& session, const json::Document& job) const {
    const auto pods = cli::pods_of_job(session, selected_, job.string_at("metadata", "uid"));
    if (!pods) return session.fail(pods.error());
    std::string log;
    for (const json::Document& pod : *pods) {
      const std::string target = client::log_target(selected_.ns, pod.string_at("metadata", "name"), "pytorch");
      const auto text = session.get_text(target);
      if (!text) return session.fail(in_context("read the log of " + pod.string_at("metadata", "name"), text.error()));
      log += *text;
    }
    const auto losses = losses_in(log);
    if (!losses) {
      return session.fail({.code = cli::kExitFailed,
                           .what = fmt::format("{} succeeded, but its loss did not fall", selected_.label()),
                           .why = std::string(trim(log)),
                           .fix = ""});
    }
    session.out(fmt::format("✔ two ranks trained together: loss {} -> {}\n", losses->first, losses->last));
    return cli::kExitOk;
  }

  cli::Selected selected_;
  std::string image_;
  Duration timeout_ = std::chrono::minutes(10);
  bool keep_ = false;
};

}  // namespace

std::unique_ptr<cli::Command> make_verify() {
  return std::make_unique<Verify>();
}

}  // namespace muster::install
