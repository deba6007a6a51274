// CronWorld: one Cron and its jobs, kept as an API server would keep them. For tests.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "api/resource.h"
#include "base/overloaded.h"
#include "control/cron/cron.h"
#include "jobs/kind.h"

namespace muster::control {

class CronWorld {
 public:
  explicit CronWorld(json::Document cron) : object(std::move(cron)) {
    now = *parse_rfc3339(object.string_at("metadata", "creationTimestamp"));
  }

  Plan look() const {
    Snapshot seen{.primary = object, .children = {}, .now = now};
    for (const WatchedKind& kind : controller_.children) {
      std::vector<AnyObject> children;
      for (const auto& [name, job] : jobs) {
        const api::Resource* resource = api::find_kind(job.string_at("apiVersion"), job.string_at("kind"));
        if (resource->type == kind.type) children.push_back(*kind.decode(job));
      }
      seen.children.add(*kind.type, std::move(children));
    }
    return controller_.plan(seen);
  }

  /// Applies the status and the first `count` actions.
  void apply(const Plan& plan, std::size_t count) {
    if (plan.status) object["status"] = *plan.status;
    for (std::size_t i = 0; i < count; ++i) {
      std::visit(Overloaded{
                     [&](const Create& create) { add(create.object); },
                     [](const Update&) { FAIL() << "a Cron updates no jobs"; },
                     [&](const Delete& gone) { jobs.erase(gone.child.name); },
                     [](const EmitEvent&) {},
                     [](const DeletePrimary&) { FAIL() << "a Cron does not end by itself"; },
                 },
                 plan.actions[i]);
    }
  }

  /// Gives a job the phase, through its kind's own status.
  void set_phase(const std::string& name, const std::string& phase) {
    ASSERT_TRUE(jobs.contains(name)) << name;
    json::Document& job = jobs[name];
    if (phase == "Gone") {
      jobs.erase(name);
      return;
    }
    const JobKind& kind = *find_job_kind(job.string_at("apiVersion"), job.string_at("kind"));
    JobStatus status = kind.read_status(job);
    status.phase = phase == "Running" ? Phase::kRunning : phase == "Succeeded" ? Phase::kSucceeded : Phase::kFailed;
    if (is_finished(status.phase)) status.completed = now;
    job["status"] = kind.project(status, job, Where::kEngine, now);
  }

  json::Document object;
  Time now;
  std::map<std::string, json::Document> jobs;  // by name
  std::map<std::string, int> starts;           // by name: how often a job of this name was made

 private:
  void add(json::Document job) {
    const std::string name = job.string_at("metadata", "name");
    if (jobs.contains(name)) return;  // the executor accepts a job that is there already and is ours
    ++starts[name];
    job["metadata"]["uid"] = fmt::format("job-{}", ++last_uid_);
    job["metadata"]["creationTimestamp"] = format_rfc3339(now);
    jobs[name] = std::move(job);
  }

  static Result<TimeZone> zone(const std::string& name) {
    if (name == "America/New_York") return TimeZone(*parse_zone_rule("EST5EDT,M3.2.0,M11.1.0"));
    if (name.empty()) return TimeZone();
    Error unknown;
    unknown.reason = Reason::kInvalid;
    unknown.message = "unknown time zone " + name;
    return unknown;
  }

  Controller controller_ = cron_controller(&zone);
  int last_uid_ = 0;
};

}  // namespace muster::control
