#include "cli/jobs/past_use.h"

#include <algorithm>

#include "jobs/pods.h"

namespace muster::cli {

namespace {

using json::Document;

struct MeanAndPeak {
  double mean = 0;
  double peak = 0;
};

MeanAndPeak mean_and_peak(const Document& history, std::string_view series) {
  MeanAndPeak out;
  for (const Document& one : history.array_at("series")) {
    if (one.string_at("name") != series) continue;
    double sum = 0;
    int count = 0;
    for (const Document& value : one.array_at("values")) {
      if (!value.is_number()) continue;  // not measured
      sum += value.as_double();
      ++count;
      out.peak = std::max(out.peak, value.as_double());
    }
    if (count > 0) out.mean = sum / count;
  }
  return out;
}

std::string metrics_path(const std::string& ns, const jobs::JobPod& pod) {
  return client::path_of({{"muster.dev", "v1", "pods"}, ns, pod.pod.string_at("metadata", "name"), "metrics"}) +
         "?uid=" + net::percent_encode(pod.pod.string_at("metadata", "uid"));
}

}  // namespace

Result<std::vector<PastUse>> past_use(Session& session, const Selected& job, const jobs::JobPods& pods) {
  std::vector<PastUse> out;
  for (const jobs::JobPod& one : jobs::pods_of_attempt(pods.pods)) {
    const auto text = session.get_text(metrics_path(job.ns, one));
    if (!text && text.error().reason == Reason::kNotFound) continue;
    if (!text) return text.error();
    TRY_ASSIGN(const Document history, json::parse(*text));
    const MeanAndPeak cpu = mean_and_peak(history, "cpu");
    const MeanAndPeak memory = mean_and_peak(history, "memory");
    out.push_back({.replica = jobs::replica_label(one.pod, job.name),
                   .mean_cpu = cpu.mean,
                   .peak_cpu = cpu.peak,
                   .mean_memory = memory.mean,
                   .peak_memory = memory.peak});
  }
  return out;
}

}  // namespace muster::cli
