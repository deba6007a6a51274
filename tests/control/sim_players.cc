#include "sim_players.h"

#include <fmt/core.h>

#include <array>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/check.h"
#include "base/strings.h"
#include "jobs/kind.h"
#include "json/yaml.h"

namespace muster::control {

namespace {

constexpr const char* kNamespace = "default";

client::ObjectName name_of(const json::Document& object, const std::string& subresource = "") {
  const api::Resource* resource = api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  CHECK(resource != nullptr);
  return {*resource, object.string_at("metadata", "namespace"), object.string_at("metadata", "name"), subresource};
}

const auto ignore_answer = [](const Result<json::Document>&) {};

std::string pod_template(const char* container) {
  return fmt::format("template: {{spec: {{containers: [{{name: {}, image: i, command: [python]}}]}}}}", container);
}

/// A random job of a random kind.
std::string manifest_of_job(const std::string& name, testing::SeededRng& rng) {
  const auto one_of = [&rng](std::initializer_list<const char*> words) {
    return words.begin()[rng.below(words.size())];
  };
  // Pods of Kubeflow's kinds are named after their job alone, so one name for jobs of two kinds would be a user's
  // mistake.
  const std::uint64_t kind = rng.below(6);
  const std::string head = fmt::format("metadata: {{name: {}-{}, namespace: {}}}\n", name, kind, kNamespace);
  const std::uint64_t limit = rng.below(4);
  const std::uint64_t workers = 1 + rng.below(3);
  const char* policy = one_of({"OnFailure", "ExitCode", "Never"});
  const char* clean = one_of({"None", "Running", "All"});
  const std::string kubeflow_policy =
      fmt::format("  runPolicy: {{backoffLimit: {}, cleanPodPolicy: {}}}\n", limit, clean);
  const std::string worker = fmt::format("{{replicas: {}, restartPolicy: {}, ", workers, policy);
  switch (kind) {
    case 0:
      return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n" + head + "spec:\n" + kubeflow_policy +
             "  pytorchReplicaSpecs:\n    Master: {" + fmt::format("restartPolicy: {}, ", policy) +
             pod_template("pytorch") + "}\n    Worker: " + worker + pod_template("pytorch") + "}\n";
    case 1:
      return "apiVersion: kubeflow.org/v1\nkind: TFJob\n" + head + "spec:\n" + kubeflow_policy +
             "  tfReplicaSpecs:\n    PS: {" + pod_template("tensorflow") + "}\n    Worker: " + worker +
             pod_template("tensorflow") + "}\n";
    case 2:
      return "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\n" + head + "spec:\n" + kubeflow_policy +
             "  mpiReplicaSpecs:\n    Launcher: {" + pod_template("mpi") +
             fmt::format("}}\n    Worker: {{replicas: {}, ", workers) + pod_template("mpi") + "}\n";
    case 3:
      return "apiVersion: batch.tensorstack.dev/v1beta1\nkind: GenericJob\n" + head +
             fmt::format("spec:\n  replicaSpecs:\n  - {{type: w, replicas: {}, restartPolicy: {{limit: {}}}, ", workers,
                         limit) +
             pod_template("main") + "}\n";
    default:
      return "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\n" + head +
             fmt::format(
                 "spec:\n  torchrunConfig: {{enabled: {}}}\n  runPolicy: {{backoffLimit: {}, cleanUpPolicy: {}}}\n"
                 "  replicaSpecs:\n  - {{type: worker, replicas: {}, restartPolicy: {}, ",
                 rng.below(2) == 0, limit, one_of({"None", "Unfinished", "All"}), workers, policy) +
             pod_template("pytorch") + "}\n";
  }
}

json::Document container_statuses(const json::Document& pod, const json::Document& state) {
  json::Array statuses;
  for (const json::Document& container : pod.array_at("spec", "containers")) {
    statuses.emplace_back(json::Object{{"name", container.string_at("name")},
                                       {"image", "i"},
                                       {"imageID", ""},
                                       {"ready", state.find("running") != nullptr},
                                       {"restartCount", 0},
                                       {"state", state}});
  }
  return statuses;
}

}  // namespace

std::vector<SimEngine::Object> jobs_of(SimEngine& engine) {
  std::vector<SimEngine::Object> jobs;
  for (const api::Resource& resource : api::resources()) {
    if (!resource.is_storage || find_job_kind(resource.api_version(), resource.kind) == nullptr) continue;
    for (const auto& [key, job] : engine.all(resource.qualified_name())) jobs.push_back(job);
  }
  return jobs;
}

// ---- the user ----

void SimUser::move() {
  const std::vector<SimEngine::Object> jobs = jobs_of(engine_);
  testing::SeededRng& rng = engine_.rng();
  if (jobs.size() < 3 && rng.below(3) == 0) create(fmt::format("j{}", rng.below(5)));
  if (jobs.empty()) return;
  const SimEngine::Object& job = jobs[rng.below(jobs.size())];
  switch (rng.below(24)) {
    case 0:
      return remove(job);
    case 1:
      return set_paused(job, true);
    case 2:
    case 3:
      return set_paused(job, false);
    default:
      return;
  }
}

void SimUser::create(const std::string& name) {
  const auto parsed = json::parse_yaml(manifest_of_job(name, engine_.rng()));
  CHECK(parsed.has_value());
  const json::Document& object = parsed->front().value;
  engine_.client().create(name_of(object).resource, kNamespace, object, {}, [](const Result<json::Document>& made) {
    CHECK(made.has_value() || made.error().reason == Reason::kAlreadyExists);
  });
}

void SimUser::patch(const SimEngine::Object& job, const json::Document& change) {
  engine_.client().patch(name_of(*job), client::PatchType::kMerge, change, {}, ignore_answer);
}

void SimUser::set_paused(const SimEngine::Object& job, bool is_paused) {
  if (is_paused) records_[job->string_at("metadata", "uid")].was_disturbed = true;
  json::Document change{json::Object{}};
  if (job->string_at("apiVersion").starts_with("kubeflow.org/")) {
    change["spec"]["runPolicy"]["suspend"] = is_paused;
  } else {
    change["spec"]["runMode"]["pause"]["enabled"] = is_paused;
  }
  patch(job, change);
}

void SimUser::remove(const SimEngine::Object& job) {
  engine_.client().remove(name_of(*job), {}, ignore_answer);
}

void SimUser::resume_all() {
  for (const SimEngine::Object& job : jobs_of(engine_)) set_paused(job, false);
}

void SimUser::delete_all() {
  for (const SimEngine::Object& job : jobs_of(engine_)) remove(job);
}

// ---- the kubelet ----

void SimKubelet::move() {
  for (const auto& [key, pod] : engine_.all("pods")) move_pod(*pod);
}

JobRecord& SimKubelet::record_of(const json::Document& pod) {
  return records_[pod.array_at("metadata", "ownerReferences").front().string_at("uid")];
}

void SimKubelet::move_pod(const json::Document& pod) {
  testing::SeededRng& rng = engine_.rng();
  const auto happens = [&](std::uint64_t percent) { return rng.below(100) < percent; };
  const std::string& phase = pod.string_at("status", "phase");
  if (pod.at("metadata", "deletionTimestamp") != nullptr) {
    if (happens(50)) remove(pod, true);
    return;
  }
  if (phase == "Succeeded" || phase == "Failed") return;
  if (!is_healthy && happens(1)) return remove(pod, false);
  if (pod.string_at("spec", "nodeName").empty()) return;
  if (phase != "Running") {
    if (!is_healthy && happens(1)) return fail_without_status(pod, "OutOfcpu");
    if (happens(60)) begin(pod);
    return;
  }
  const json::Document* deadline = pod.at("spec", "activeDeadlineSeconds");
  const auto began = parse_rfc3339(pod.string_at("status", "startTime"));
  if (deadline != nullptr && engine_.now() >= *began + std::chrono::seconds(deadline->as_int())) {
    return fail_without_status(pod, "DeadlineExceeded");
  }
  if (is_healthy) {
    if (happens(30)) end(pod, 0);
    return;
  }
  if (happens(4)) return end(pod, 0);
  static constexpr std::array kCodes = {1, 2, 137, 138, 143};
  if (happens(4)) return end(pod, kCodes[rng.below(kCodes.size())]);
  if (happens(1)) return fail_without_status(pod, "Evicted");
  if (happens(1)) return fail_without_status(pod, "");
}

void SimKubelet::begin(const json::Document& pod) {
  write_status(pod,
               json::Object{{"phase", "Running"},
                            {"startTime", format_rfc3339(engine_.now())},
                            {"containerStatuses", container_statuses(pod, json::Object{{"running", json::Object{}}})}});
}

void SimKubelet::end(const json::Document& pod, int exit_code) {
  if (exit_code != 0) {
    const auto attempt = parse_int(pod.string_at("metadata", "labels", api::kAttemptLabel));
    record_of(pod).failed_attempts.insert(static_cast<int>(attempt.value_or(0)));
  }
  const json::Document ended = json::Object{{"exitCode", exit_code},
                                            {"reason", exit_code == 0 ? "Completed" : "Error"},
                                            {"finishedAt", format_rfc3339(engine_.now())}};
  write_status(pod, json::Object{{"phase", exit_code == 0 ? "Succeeded" : "Failed"},
                                 {"containerStatuses", container_statuses(pod, json::Object{{"terminated", ended}})}});
}

void SimKubelet::fail_without_status(const json::Document& pod, const std::string& reason) {
  // Such an end takes its gang back without charge, and with it programs that failed at the same time.
  if (reason != "DeadlineExceeded") record_of(pod).was_disturbed = true;
  write_status(pod, json::Object{{"phase", "Failed"}, {"reason", reason}, {"containerStatuses", json::Array{}}});
}

void SimKubelet::remove(const json::Document& pod, bool at_once) {
  record_of(pod).was_disturbed = true;
  client::DeleteOptions options;
  if (at_once) options.grace_period_seconds = 0;
  options.precondition_uid = pod.string_at("metadata", "uid");
  engine_.client().remove(name_of(pod), options, ignore_answer);
}

void SimKubelet::write_status(const json::Document& pod, json::Document status) {
  json::Document patch{json::Object{}};
  patch["metadata"]["uid"] = pod.string_at("metadata", "uid");
  patch["status"] = std::move(status);
  engine_.client().patch(name_of(pod, "status"), client::PatchType::kMerge, patch, {}, ignore_answer);
}

}  // namespace muster::control
