// arena logs: the log of a job's chief, or of the instance that -i names.
#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "base/strings.h"
#include "cli/logs/follow_job.h"
#include "cli/logs/print_log.h"
#include "client/logs/log_target.h"

namespace muster::arena {

namespace {

/// The init container that fetches the code.
constexpr const char* kInitCode = "init-code";

/// Accepts "1h2m3s" and the like: whole numbers with h, m and s only.
std::optional<std::int64_t> since_seconds(const std::string& text) {
  if (text.empty() ||
      !std::ranges::all_of(text, [](char c) { return is_digit(c) || c == 'h' || c == 'm' || c == 's'; })) {
    return std::nullopt;
  }
  const auto parsed = parse_duration(text);
  if (!parsed) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(*parsed).count();
}

class Logs final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("follow", &follow_, "Specify if the logs should be streamed; waits for an instance that does not run yet",
              'f');
    flags.add("instance", &instance_, "Specify the task instance to get log", 'i');
    flags.add("container", &container_, "Specify the container name of instance to get log", 'c');
    flags.add("tail", &tail_,
              "Lines of recent log file to display. Defaults to -1 with no selector, showing all log lines", 't');
    flags.add("since", &since_, "Only return logs newer than a relative duration like 5s, 2m, or 3h");
    flags.add("since-time", &since_time_, "Only return logs after a specific date (RFC3339)");
    flags.add("timestamps", &timestamps_, "Include timestamps on each line in the log output");
    add_type_flag(flags, &type_);
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override {
    if (!since_.empty() && !since_seconds(since_)) {
      return cli::Failure{.what =
                              "failed to parse since seconds,invalid format,should like: ['1h','1m','1s','1h1m1s'...]"};
    }
    if (!since_time_.empty() && !parse_rfc3339(since_time_)) {
      return cli::Failure{.what = fmt::format("failed to parse since time,invalid format, got {}", quote(since_time_)),
                          .fix = fmt::format("--since-time 2026-07-29T10:00:00Z, or another time {}", kTimeRange)};
    }
    if (!since_.empty() && !since_time_.empty()) {
      return cli::Failure{.what = "only one of --since and --since-time may be used"};
    }
    return check_type(type_);
  }

  int run(Context& context, const std::vector<std::string>& words) override {
    auto found = find_job(context, words[0], type_, kJobNotFound);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) return context.fail(*failure);
    FoundJob& job = std::get<FoundJob>(found);
    const Instance* target = target_of(job.job);
    if (!instance_.empty() && target == nullptr && !may_appear(job)) return context.fail(no_such_instance(job.job));
    if (follow_) return follow(context, std::move(job));
    if (target == nullptr) return list_instances(context, job.job);
    return print(context, job.job, *target);
  }

 private:
  const Instance* target_of(const Job& job) const {
    if (!instance_.empty()) {
      const auto named = std::ranges::find(job.instances, instance_, &Instance::name);
      return named == job.instances.end() ? nullptr : &*named;
    }
    if (job.instances.size() == 1) return &job.instances.front();
    return job.chief();
  }

  /// An instance of a job without instances may be about to be created, which -f waits for.
  bool may_appear(const FoundJob& job) const { return follow_ && job.job.instances.empty() && !job.job.is_finished(); }

  cli::Failure no_such_instance(const Job& job) const {
    return {.what = fmt::format(
                "invalid instance name {0} in job {1},please use 'arena get {1}' to make sure instance name", instance_,
                job.name)};
  }

  static int list_instances(Context& context, const Job& job) {
    std::string text = fmt::format("There is {} instances have been found:\n", job.instances.size());
    for (const Instance& one : job.instances) text += one.name + "\n";
    context.session.out(text + "please use '-i' or '--instance' to filter.\n");
    return 1;
  }

  std::string query() const {
    std::string out;
    if (tail_ >= 0) out += fmt::format("&tailLines={}", tail_);
    if (!since_.empty()) out += fmt::format("&sinceSeconds={}", std::max<std::int64_t>(1, *since_seconds(since_)));
    if (!since_time_.empty()) out += "&sinceTime=" + net::percent_encode(since_time_);
    return out;
  }

  int print(Context& context, const Job& job, const Instance& target) const {
    const auto pod = context.session.get({{"", "v1", "pods"}, job.ns, target.name});
    if (!pod) return context.fail(pod.error());
    const std::string container = container_of(*pod, target);
    if (container.empty()) {
      return context.fail(cli::Failure{.what = fmt::format("instance {} is not running", target.name),
                                       .why = job.message,
                                       .fix = fmt::format("arena logs {} -f waits until it runs", job.name)});
    }
    std::string where = client::log_target(job.ns, target.name, container) + query();
    if (timestamps_) where += "&timestamps=true";
    return cli::print_log(context.session, where, "") == 0 ? 0 : 1;
  }

  /// Returns "" when no container of the pod has a log yet. The log of a pod whose code is being fetched, or could not
  /// be fetched, is that of the fetching.
  std::string container_of(const json::Document& pod, const Instance& target) const {
    if (!container_.empty()) return container_;
    for (const json::Document& status : pod.array_at("status", "initContainerStatuses")) {
      const bool started = status.at("state", "waiting") == nullptr;
      const bool failed = status.int_at("state", "terminated", "exitCode") != 0;
      if (status.string_at("name") == kInitCode && started && (target.phase == "Pending" || failed)) return kInitCode;
    }
    return target.phase == "Pending" ? "" : client::default_container(pod);
  }

  int follow(Context& context, FoundJob job) const {
    client::FollowOptions options;
    options.label_selector = fmt::format("{}={}", api::kKubeflowJobNameLabel, job.job.name);
    options.container = container_;
    options.timestamps = timestamps_;
    options.tail_query = query();
    const Instance* target = target_of(job.job);
    if (!instance_.empty() || target != nullptr) {
      options.field_selector = "metadata.name=" + (instance_.empty() ? target->name : instance_);
    } else {
      options.label_selector += fmt::format(",{}={}", api::kKubeflowReplicaTypeLabel, job.job.type->chief_role);
    }
    const std::string kind(job.job.type->kind);
    const cli::Selected selected{.kind = {.resource = job.resource, .kind = kind, .singular = to_lower(kind)},
                                 .ns = job.job.ns,
                                 .name = job.job.name};
    const cli::JobFollowed end =
        cli::follow_until_end(context.session, selected, std::move(job.object), std::move(options));
    if (end.failure) return context.fail(*end.failure);
    return 0;  // whatever became of the job, its log was shown
  }

  bool follow_ = false;
  std::string instance_;
  std::string container_;
  std::int64_t tail_ = -1;
  std::string since_;
  std::string since_time_;
  bool timestamps_ = false;
  std::string type_;
};

}  // namespace

std::unique_ptr<Command> make_logs() {
  return std::make_unique<Logs>();
}

}  // namespace muster::arena
