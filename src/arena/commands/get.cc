// arena get: one training job with its instances, its TensorBoard and its events.
#include <fmt/core.h>

#include <algorithm>

#include "arena/commands/commands.h"
#include "arena/requests/explain.h"
#include "arena/requests/find_jobs.h"
#include "arena/requests/tensorboard_link.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

class Get final : public Command {
 public:
  void add_flags(Flags& flags) override {
    add_type_flag(flags, &type_);
    flags.add("events", &events_, "Specify if show pending pod's events", 'e');
    flags.add("gpus", &gpus_, "Specify if show gpu info", 'g');
    flags.add("output", &output_, "Output format. One of: json|yaml|wide", 'o');
    flags.set_choices("output", {"json", "yaml", "wide"});
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override {
    if (auto failure = check_type(type_)) return failure;
    return check_output(output_);
  }

  int run(Context& context, const std::vector<std::string>& words) override {
    const std::string missing =
        fmt::format("Not found training job {} in namespace {},please use 'arena submit' to create it.", words[0],
                    context.session.ns());
    auto found = find_job(context, words[0], type_, missing);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) return context.fail(*failure);
    const FoundJob& one = std::get<FoundJob>(found);
    JobDetails details{.with_events = events_, .with_gpus = gpus_, .tensorboard = tensorboard_link(context, one.job)};
    const json::Document shown = job_json(one.job, details.tensorboard, context.session.loop().now());
    if (output_ == "json") {
      context.session.out_exact(json_text(shown));
    } else if (output_ == "yaml") {
      context.session.out_exact(json::to_yaml(shown));
    } else {
      if (events_) {
        const auto events = events_of(context.session, one.job);
        if (!events) return context.fail(events.error());
        details.events = *events;
      }
      details.explanation = explanation_of(context.session, one.job);
      context.session.out(job_text(one.job, details, viewer_of(context, output_)));
    }
    return 0;
  }

 private:
  std::string type_;
  bool events_ = false;
  bool gpus_ = false;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_get() {
  return std::make_unique<Get>();
}

}  // namespace muster::arena
