// The commands that are a few lines each: logviewer, whoami, and those that are not supported.
#include <fmt/core.h>

#include "arena/commands/commands.h"
#include "arena/context/identity.h"
#include "arena/requests/find_jobs.h"

namespace muster::arena {

namespace {

class LogViewer final : public Command {
 public:
  void add_flags(Flags& flags) override { add_type_flag(flags, &type_); }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override { return check_type(type_); }

  int run(Context& context, const std::vector<std::string>& words) override {
    const auto found = find_job(context, words[0], type_, kJobNotFound);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) return context.fail(*failure);
    return context.fail(cli::Failure{.what = "failed to get LogViewer: no LOGVIEWER Installed",
                                     .fix = fmt::format("arena logs {} -f", words[0])});
  }

 private:
  std::string type_;
};

class WhoAmI final : public Command {
 public:
  void add_flags(Flags& /*flags*/) override {}

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    const auto name = user_name(context.session);
    if (!name) return context.fail(name.error());
    context.session.out(json::serialize(json::Object{{"Name", *name}, {"Id", user_id(*name)}, {"IsAdminUser", false}}) +
                        "\n");
    return 0;
  }
};

/// Accepts any flags, so that the answer is always the same sentence.
class NotSupported final : public Command {
 public:
  explicit NotSupported(cli::Failure failure) : failure_(std::move(failure)) {}
  void add_flags(Flags& /*flags*/) override {}
  bool takes_any_flags() const override { return true; }
  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override { return failure_; }
  int run(Context& context, const std::vector<std::string>& /*words*/) override { return context.fail(failure_); }

 private:
  cli::Failure failure_;
};

}  // namespace

std::unique_ptr<Command> make_logviewer() {
  return std::make_unique<LogViewer>();
}

std::unique_ptr<Command> make_whoami() {
  return std::make_unique<WhoAmI>();
}

std::unique_ptr<Command> make_missing_kind() {
  return std::make_unique<NotSupported>(
      cli::Failure{.what = "not supported: this program does not run jobs of this kind",
                   .why = "it creates PyTorchJobs, TFJobs and MPIJobs; elastic, DeepSpeed, Ray, Volcano and Spark jobs "
                          "need operators of their own",
                   .fix = "arena submit pytorchjob, tfjob, mpijob or horovodjob"});
}

std::unique_ptr<Command> make_not_supported() {
  return std::make_unique<NotSupported>(
      cli::Failure{.what = "not supported: this program trains models, and does not serve, evaluate or register them"});
}

}  // namespace muster::arena
