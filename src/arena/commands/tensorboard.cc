// arena tensorboard: the page of a job's TensorBoard in the browser of this machine. The engine of this machine shows
// it itself; from any other server it is brought here through the API, so that only the API must be reachable.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "api/print/pod_row.h"
#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "arena/requests/tensorboard_link.h"
#include "cli/connect/browser.h"
#include "cli/objects/tensorboard_service.h"

namespace muster::arena {

namespace {

using cli::Failure;
using json::Document;

std::string why_not_ready(const Document& pod) {
  return fmt::format("its pod {} is {}", pod.string_at("metadata", "name"), api::pod_status(pod));
}

class TensorBoard final : public Command {
 public:
  void add_flags(Flags& flags) override {
    add_type_flag(flags, &type_);
    flags.add("no-open", &no_open_, "print the link but do not open it");
    flags.add("port", &port_, "port of the page on this machine; 0 selects a free one");
    flags.add("timeout", &timeout_, "how long to wait for a tensorboard that is starting");
  }

  std::optional<Failure> check(const std::vector<std::string>& /*words*/) override {
    if (port_ < 0 || port_ > 65535) {
      return Failure{.what = fmt::format("--port: must be between 0 and 65535, got {}", port_),
                     .fix = "omit it for a free port"};
    }
    return check_type(type_);
  }

  int run(Context& context, const std::vector<std::string>& words) override {
    const auto found = find_job(context, words[0], type_, kJobNotFound);
    if (const auto* failure = std::get_if<Failure>(&found)) return context.fail(*failure);
    const Job& job = std::get<FoundJob>(found).job;
    const auto service = cli::arena_tensorboard_service(context.session, job.ns, job.name);
    if (!service) return context.fail(service.error());
    if (service->is_null()) {
      return context.fail(Failure{.what = fmt::format("the job {} has no tensorboard", job.name),
                                  .fix = "submit it with --tensorboard"});
    }
    if (context.server && context.server->local_engine) return print_link(context, job);
    if (const auto failure = wait_until_ready(context, job)) return context.fail(*failure);
    return context.session.show_page(
        {.path = cli::path_through_api(*service), .port = static_cast<int>(port_), .open = !no_open_});
  }

 private:
  int print_link(Context& context, const Job& job) const {
    const std::string link = tensorboard_link(context, job);
    context.session.out(link + "\n");
    if (!no_open_ && context.session.terminal().out_is_terminal) cli::open_in_browser(link);
    return 0;
  }

  /// Returns why the page cannot be shown.
  std::optional<Failure> wait_until_ready(Context& context, const Job& job) const {
    const std::string selector = fmt::format("{}={},role=tensorboard", kReleaseLabel, job.name);
    client::ListOptions options;
    options.label_selector = selector;
    const MonoTime deadline = context.session.loop().mono() + timeout_;
    for (bool told = false;;) {
      const auto pods = context.session.list({"", "v1", "pods"}, job.ns, options);
      if (!pods) return context.failure_of(pods.error());
      const json::Array& items = pods->array_at("items");
      if (std::ranges::any_of(items, [](const Document& pod) { return has_condition(pod, "Ready"); }))
        return std::nullopt;
      const std::string why = items.empty() ? "it has no pod yet" : why_not_ready(items.front());
      const bool is_late = context.session.loop().mono() >= deadline;
      if (!is_late && !std::exchange(told, true)) context.log.info("the tensorboard is starting: " + why);
      if (is_late || !wait_for_refresh(context)) {
        return Failure{.what = fmt::format("the tensorboard of the job {} does not run", job.name),
                       .why = why,
                       .fix = fmt::format("muster describe pods -n {} -l {}", job.ns, selector)};
      }
    }
  }

  std::string type_;
  bool no_open_ = false;
  std::int64_t port_ = 0;
  Duration timeout_ = std::chrono::minutes(1);
};

}  // namespace

std::unique_ptr<Command> make_tensorboard() {
  return std::make_unique<TensorBoard>();
}

}  // namespace muster::arena
