// logs: prints the logs of a pod, of all pods of a job, or of the pods that match a selector, merged line by line.
// With -f it follows them until the job has ended, even while its pods are restarted or replaced.
#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/kinds.h"
#include "cli/jobs/job_history.h"
#include "cli/jobs/job_pods.h"
#include "cli/jobs/waiting.h"
#include "cli/logs/follow_job.h"
#include "cli/logs/log_screen.h"
#include "cli/logs/print_log.h"
#include "cli/objects/object_state.h"
#include "cli/objects/selection.h"
#include "client/logs/log_target.h"
#include "jobs/pods.h"
#include "jobs/summary.h"

namespace muster::cli {

namespace {

const client::ResourceName kPods{"", "v1", "pods"};

/// The pods whose logs are requested.
struct Subject {
  std::optional<Selected> job;
  std::string pod;
  std::string label_selector;
};

class Logs final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("follow", &follow_, "follow until the pod or the job has ended", 'f');
    flags.add("container", &container_, "container (default: the first)", 'c');
    flags.add("selector", &selector_, "logs of all pods with these labels", 'l');
    flags.add("previous", &previous_, "show the run before the last restart", 'p');
    flags.add("attempt", &attempt_, "show this attempt, counted from 0, even of a deleted pod or job");
    flags.add("earlier", &earlier_, "show the Nth earlier job of this name, as --replace leaves them; 1 is the last");
    flags.add("fold", &fold_, "reduce a progress bar to its last state");
    flags.add("timestamps", &timestamps_, "print the time of each line");
    flags.add("tail", &tail_, "show only the last N lines (-1: all; default: all, with -l 10)");
    flags.add("since", &since_, "show only lines newer than this, such as 5m");
    flags.add("prefix", &prefix_, "print the replica in front of each line (default: if there are several)");
    flags.set_implied("prefix", "true");
    flags.add("raw", &raw_, "print all bytes as they are, even on a terminal");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (raw_) session.let_logs_be_raw();
    if (follow_ && previous_) return session.fail(usage_failure("--previous cannot be followed: that run has ended"));
    if (follow_ && attempt_) return session.fail(usage_failure("--attempt cannot be followed: it reads a stored log"));
    if (attempt_ && *attempt_ < 0) return session.fail(usage_failure("--attempt: must be 0 or more"));
    if (follow_ && earlier_) return session.fail(usage_failure("--earlier cannot be followed: that job has ended"));
    auto subject = subject_of(session, words);
    if (auto* failure = std::get_if<Failure>(&subject)) return session.fail(*failure);
    if (tail_ && *tail_ < -1) {
      return session.fail(usage_failure(fmt::format("--tail must be -1 or more, got {}", *tail_)));
    }
    if (since_ && *since_ < Duration(0)) return session.fail(usage_failure("--since must not be negative"));
    if (!selector_.empty() && !tail_) tail_ = 10;
    const Subject& of = std::get<0>(subject);
    if (earlier_) return logs_of_earlier_job(session, of);
    if (of.job) return job_logs(session, *of.job);
    return pod_logs(session, of);
  }

 private:
  std::variant<Subject, Failure> subject_of(Session& session, const std::vector<std::string>& words) {
    Subject out;
    if (words.empty()) {
      if (selector_.empty()) return usage_failure("name a pod or a job", "muster logs -f JOB   or: muster logs POD");
      out.label_selector = selector_;
      return out;
    }
    if (!selector_.empty()) return usage_failure("give either a name or -l, not both");
    if (words.size() == 1 && words[0].empty()) return usage_failure("the name of the pod or job is empty");
    if (words.size() == 2 && words[0].find('/') != std::string::npos) container_ = words[1];
    if (words.size() == 1 && words[0].find('/') == std::string::npos) {
      out.pod = words[0];
      return out;
    }
    Kinds kinds(session);
    auto wanted = kinds.wanted(
        words.size() == 2 && words[0].find('/') != std::string::npos ? std::vector<std::string>{words[0]} : words);
    if (!wanted) return failure_of(wanted.error());
    if (wanted->size() != 1 || wanted->front().name.empty()) {
      return usage_failure("name one pod or one job at a time", "several: -l SELECTOR");
    }
    const Wanted& one = wanted->front();
    if (one.kind.kind == "Pod" && one.kind.resource.group.empty()) {
      out.pod = one.name;
    } else if (jobs::is_job_group(one.kind.resource.group)) {
      out.job = Selected{one.kind, session.ns(), one.name};
    } else {
      return usage_failure(fmt::format("a {} has no logs; name a pod or a job", one.kind.kind));
    }
    return out;
  }

  client::Prefix prefix_for(const Session& session, bool several) const {
    const bool wanted = prefix_.empty() ? several : prefix_ != "false";
    return wanted ? prefix_of(session) : client::Prefix::kNone;
  }

  std::string first_query() const {
    std::string out;
    if (tail_ && *tail_ >= 0) out += fmt::format("&tailLines={}", *tail_);
    if (since_) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(*since_).count();
      out += fmt::format("&sinceSeconds={}", std::max<std::int64_t>(1, seconds));
    }
    return out;
  }

  std::string target_of(const std::string& ns, const std::string& pod, const std::string& container,
                        bool with_times) const {
    return with_query(
        attempt_ ? client::attempt_log_target(ns, pod, *attempt_, container) : client::log_target(ns, pod, container),
        with_times);
  }

  std::string with_query(std::string target, bool with_times) const {
    target += first_query();
    if (previous_) target += "&previous=true";
    if (with_times) target += "&timestamps=true";
    if (fold_) target += "&fold=true";
    return target;
  }

  int pod_logs(Session& session, const Subject& of) {
    client::ListOptions options;
    options.label_selector = of.label_selector;
    if (!of.pod.empty()) options.field_selector = "metadata.name=" + of.pod;
    auto list = session.list(kPods, session.ns(), options);
    if (!list) return session.fail(about_selectors(list.error(), of.label_selector, ""));
    const json::Array pods = list->array_at("items");
    if (pods.empty() && !of.pod.empty()) return logs_of_job_named(session, of.pod);
    if (attempt_ && !of.pod.empty()) return print_pod_attempt(session, of.pod);
    if (pods.empty()) {
      session.err(fmt::format("No resources found in {} namespace.\n", session.ns()));
      return kExitOk;
    }
    const client::Prefix prefix = prefix_for(session, pods.size() > 1);
    if (!follow_) return print_all(session, pods, "", prefix);
    LogScreen screen(session, raw_ ? LogScreen::Raw::kYes : LogScreen::Raw::kNo);
    WaitingLine line(session, {kind_of(*api::find_kind("v1", "Pod")), session.ns(), of.pod},
                     WaitingLine::Until::kStarted, [&screen](std::string_view lines) { screen.note(lines); });
    client::FollowOptions follow = follow_options(session, of.label_selector, options.field_selector, prefix);
    if (!of.pod.empty()) follow.on_pod = [&line](const json::Document& pod) { line.saw(pod); };
    follow.on_state = [&screen](const client::LineOfRun& state) { screen.show(state); };
    client::LogFollower follower(session.loop(), session.api(), std::move(follow),
                                 [&screen](std::string_view lines) { screen.print(lines); });
    follower.start();
    const auto over = [&] {
      return follower.failure().has_value() || (follower.pods() > 0 && follower.all_ended() && follower.idle());
    };
    if (session.wait_until(over) == Session::Waited::kInterrupted) return kExitInterrupted;
    return follower.failure() ? session.fail(*follower.failure()) : kExitOk;
  }

  client::FollowOptions follow_options(const Session& session, const std::string& labels, const std::string& fields,
                                       client::Prefix prefix) const {
    client::FollowOptions out;
    out.ns = session.ns();
    out.label_selector = labels;
    out.field_selector = fields;
    out.container = container_;
    out.prefix = prefix;
    out.timestamps = timestamps_;
    out.fold = fold_;
    out.raw = raw_;
    out.tail_query = first_query();
    return out;
  }

  int job_logs(Session& session, const Selected& job) {
    auto object = session.get(job.object());
    if (!object && object.error().reason == Reason::kNotFound) {
      const auto deleted = deleted_jobs_named(session, job.name, {job.kind});
      if (deleted && !deleted->empty()) return logs_of_deleted_job(session, deleted->front());
    }
    if (!object) return session.fail(object.error());
    const client::Prefix prefix = prefix_for(session, jobs::summarise(*object).wanted() > 1);
    if (follow_) return follow_job(session, job, *std::move(object), follow_options(session, "", "", prefix));
    auto pods = history_of_job(session, job, object->string_at("metadata", "uid"));
    if (!pods) return session.fail(pods.error());
    if (pods->pods.empty()) session.err(fmt::format("{} has no pods ({})\n", job.short_label(), object_phase(*object)));
    return print_history(session, job, *pods, prefix);
  }

  int logs_of_deleted_job(Session& session, const JobWithPods& deleted) {
    if (follow_) {
      return session.fail({.code = kExitNotFound,
                           .what = fmt::format("{} is deleted: there is nothing to follow", deleted.job.short_label()),
                           .fix = "muster logs " + deleted.job.name});
    }
    session.err(fmt::format("{} is deleted; its logs are still kept\n", deleted.job.label()));
    // A pod that is ending may be gone before it is asked for; what it wrote is found by its uid in any case.
    jobs::JobPods pods = deleted.pods;
    for (jobs::JobPod& pod : pods.pods) pod.exists = false;
    return print_history(session, deleted.job, pods, prefix_for(session, pods.pods.size() > 1));
  }

  int logs_of_earlier_job(Session& session, const Subject& of) {
    if (of.pod.empty() && !of.job) return session.fail(usage_failure("--earlier: name one job"));
    const auto found = earlier_job_named(session, of.job ? of.job->name : of.pod,
                                         of.job ? std::vector{of.job->kind} : job_kinds(), *earlier_);
    if (!found) return session.fail(found.error());
    return print_history(session, found->job, found->pods, prefix_for(session, found->pods.pods.size() > 1));
  }

  /// Prints what the replicas wrote, also those whose pods are deleted.
  int print_history(Session& session, const Selected& job, const jobs::JobPods& history, client::Prefix prefix) {
    const std::vector<jobs::JobPod> pods = jobs::pods_of_attempt(history.pods, attempt_);
    if (attempt_ && pods.empty()) {
      return session.fail({.code = kExitNotFound,
                           .what = fmt::format("{} has no log of attempt {}: it has not run, or its log was removed",
                                               job.short_label(), *attempt_)});
    }
    std::vector<client::LogToMerge> logs;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::string replica = jobs::replica_label(pods[i].pod, job.name);
      if (!pods[i].has_log) {
        session.err(fmt::format(
            "{} has no log: its pod is deleted and had written nothing, or a limit (logs.*) removed it\n", replica));
        continue;
      }
      const std::string container = container_.empty() ? client::default_container(pods[i].pod) : container_;
      logs.push_back({with_query(log_target_of(session.ns(), pods[i], container), timestamps_ || pods.size() > 1),
                      client::line_prefix(prefix, replica, i)});
    }
    session.err(jobs::history_note(history, job.name));
    if (pods.size() > 1 && !logs.empty()) return print_merged_logs(session, logs, timestamps_);
    return logs.empty() ? kExitOk : print_log(session, logs.front().target, logs.front().prefix);
  }

  int print_all(Session& session, const json::Array& pods, const std::string& job_name, client::Prefix prefix) {
    const bool several = pods.size() > 1;
    std::vector<client::LogToMerge> logs;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::string& name = pods[i].string_at("metadata", "name");
      const std::string container = container_.empty() ? client::default_container(pods[i]) : container_;
      logs.push_back(
          {target_of(session.ns(), name, container, timestamps_ || several),
           client::line_prefix(prefix, job_name.empty() ? name : jobs::replica_label(pods[i], job_name), i)});
    }
    if (several) return print_merged_logs(session, logs, timestamps_);
    return logs.empty() ? kExitOk : print_log(session, logs.front().target, logs.front().prefix);
  }

  int print_pod_attempt(Session& session, const std::string& pod) {
    return print_log(session, target_of(session.ns(), pod, container_, timestamps_), "");
  }

  /// No pod has the name, so it is a job's.
  int logs_of_job_named(Session& session, const std::string& name) {
    auto jobs = jobs_named(session, name);
    if (!jobs) return session.fail(jobs.error());
    if (jobs->size() > 1) return session.fail(several_jobs(*jobs));
    if (jobs->size() == 1) return job_logs(session, jobs->front().job);
    const auto deleted = deleted_jobs_named(session, name);
    if (!deleted) return session.fail(deleted.error());
    if (!deleted->empty()) return logs_of_deleted_job(session, newest_of(*deleted));
    if (attempt_) return print_pod_attempt(session, name);  // of a pod that is gone
    return session.fail(no_pod_and_no_job(session, name));
  }

  bool follow_ = false;
  std::string container_;
  std::string selector_;
  bool previous_ = false;
  std::optional<std::int64_t> attempt_;
  std::optional<std::int64_t> earlier_;
  bool fold_ = false;
  bool timestamps_ = false;
  std::optional<std::int64_t> tail_;
  std::optional<Duration> since_;
  std::string prefix_;
  bool raw_ = false;
};

}  // namespace

std::unique_ptr<Command> make_logs() {
  return std::make_unique<Logs>();
}

}  // namespace muster::cli
