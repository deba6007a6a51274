// decide_time: prints how long one decide for a running job of 64 ranks takes, in microseconds: the median of many.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/check.h"
#include "json/yaml.h"
#include "testing/job_world.h"

namespace muster::control {
namespace {

constexpr int kRanks = 64;
constexpr int kRuns = 2001;
constexpr const char* kJob =
    "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n"
    "metadata: {{name: mnist, namespace: default, uid: u-1, generation: 1}}\n"
    "spec: {{replicaSpecs: [{{type: worker, replicas: {}, restartPolicy: OnFailure, template: {{spec: {{containers: "
    "[{{name: pytorch, image: torch, command: [python, train.py]}}]}}}}}}]}}\n";

JobWorld running_job() {
  const auto parsed = json::parse_yaml(fmt::format(kJob, kRanks));
  CHECK(parsed.has_value());
  JobWorld world(parsed->front().value, Where::kEngine, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.apply(world.look());
  PodNews runs;
  runs.phase = "Running";
  for (const auto& [name, pod] : std::map(world.pods)) world.happen(name, runs);
  world.apply(world.look());
  CHECK(world.status().phase == Phase::kRunning);
  return world;
}

Observed observed(const JobWorld& world) {
  Observed seen{.job = world.job(),
                .status = world.status(),
                .pods = {},
                .services = {},
                .now = world.now,
                .offered_port = world.offered_port};
  for (const auto& [name, pod] : world.pods) seen.pods.push_back(std::make_shared<const api::Pod>(pod));
  for (const auto& [name, service] : world.services) {
    seen.services.push_back(std::make_shared<const api::Service>(service));
  }
  return seen;
}

double median_microseconds(const Observed& seen) {
  std::vector<double> took;
  for (int i = 0; i < kRuns; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const JobPlan plan = decide(seen);
    took.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    CHECK(plan.actions.empty() && plan.status.has_value());
  }
  std::ranges::nth_element(took, took.begin() + kRuns / 2);
  return took[kRuns / 2];
}

}  // namespace
}  // namespace muster::control

int main() {
  using namespace muster::control;
  fmt::print("{:.1f}\n", median_microseconds(observed(running_job())));
}
