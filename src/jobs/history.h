// The pods that a job has had: those that exist, and those that clean-up, a pause, a restart or the deletion of the job
// has taken while the limits of logs keep what they wrote. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/document.h"

namespace muster::jobs {

struct JobPod {
  json::Document pod;  // without what its containers were given when it does not exist any more
  std::int64_t attempt = 0;
  bool exists = true;
  bool has_log = true;
  bool has_metrics = true;
};

struct JobPods {
  std::string uid;                       // of the job
  bool exists = false;                   // false: the job is deleted
  std::vector<JobPod> pods = {};         // in rank order, then by attempt
  std::int64_t removed = 0;              // how many more there were, of which a limit has removed everything
  std::vector<std::string> others = {};  // the uids of earlier jobs of the same name, newest first
};

/// Returns the last attempt of each replica, or the attempt of that number. A pod that exists is later than any that
/// does not.
std::vector<JobPod> pods_of_attempt(const std::vector<JobPod>& pods, std::optional<std::int64_t> attempt = {});

/// As the route about the pods of a job sends them.
json::Document encode(const JobPods& pods, const std::string& ns, const std::string& job_name);
JobPods decode_job_pods(const json::Document& document);

/// Says what limits have removed, and that there were earlier jobs of the name; "" when there is nothing to say.
std::string history_note(const JobPods& pods, const std::string& job_name);

}  // namespace muster::jobs
