#include "jobs/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "jobs/pods.h"

namespace muster::jobs {

using json::Document;

std::vector<JobPod> pods_of_attempt(const std::vector<JobPod>& pods, std::optional<std::int64_t> attempt) {
  std::map<std::string, const JobPod*> last;  // by name
  const auto is_later = [](const JobPod& one, const JobPod& other) {
    return std::pair(one.exists, one.attempt) >= std::pair(other.exists, other.attempt);
  };
  for (const JobPod& one : pods) {
    if (attempt && one.attempt != *attempt) continue;
    const JobPod*& best = last[one.pod.string_at("metadata", "name")];
    if (best == nullptr || is_later(one, *best)) best = &one;
  }
  std::vector<JobPod> out;
  for (const JobPod& one : pods) {
    const auto found = last.find(one.pod.string_at("metadata", "name"));
    if (found != last.end() && found->second == &one) out.push_back(one);
  }
  return out;
}

Document encode(const JobPods& pods, const std::string& ns, const std::string& job_name) {
  json::Array items;
  for (const JobPod& one : pods.pods) {
    items.emplace_back(json::Object{{"replica", replica_label(one.pod, job_name)},
                                    {"attempt", one.attempt},
                                    {"exists", one.exists},
                                    {"hasLog", one.has_log},
                                    {"hasMetrics", one.has_metrics},
                                    {"pod", one.pod}});
  }
  return json::Object{{"apiVersion", "muster.dev/v1"},
                      {"kind", "JobPods"},
                      {"metadata", json::Object{{"name", job_name}, {"namespace", ns}, {"uid", pods.uid}}},
                      {"exists", pods.exists},
                      {"removed", pods.removed},
                      {"others", json::Array(pods.others.begin(), pods.others.end())},
                      {"items", std::move(items)}};
}

JobPods decode_job_pods(const Document& document) {
  JobPods out{.uid = document.string_at("metadata", "uid"),
              .exists = document.bool_at("exists"),
              .removed = document.int_at("removed")};
  for (const Document& uid : document.array_at("others")) {
    if (uid.is_string()) out.others.push_back(uid.as_string());
  }
  for (const Document& item : document.array_at("items")) {
    const Document* pod = item.find("pod");
    if (pod == nullptr) continue;
    out.pods.push_back({.pod = *pod,
                        .attempt = item.int_at("attempt"),
                        .exists = item.bool_at("exists"),
                        .has_log = item.bool_at("hasLog"),
                        .has_metrics = item.bool_at("hasMetrics")});
  }
  return out;
}

std::string history_note(const JobPods& pods, const std::string& job_name) {
  std::string out;
  if (pods.removed > 0) {
    out +=
        fmt::format("{} earlier pod{} of {}: the limits of logs (logs.* in the configuration) removed what {} left\n",
                    pods.removed, pods.removed == 1 ? "" : "s", job_name, pods.removed == 1 ? "it" : "they");
  }
  if (!pods.others.empty()) {
    const std::size_t count = pods.others.size();
    out += fmt::format("{} earlier job{} had the name {}; for the last one: --earlier 1\n", count,
                       count == 1 ? "" : "s", job_name);
  }
  return out;
}

}  // namespace muster::jobs
