#include "cli/run/job.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/muster/sweep_names.h"

namespace muster::cli {

namespace {

using json::Document;

/// The scheduler reads from the pods of which sweep they are.
json::Object pod_metadata_of(const JobOfScript& of) {
  json::Object annotations{{api::kLocalRanksAnnotation, "true"}};
  if (of.parallel > 0) annotations.append(api::kParallelAnnotation, std::to_string(of.parallel));
  json::Object out{{"annotations", std::move(annotations)}};
  if (!of.sweep.empty()) out.append("labels", json::Object{{api::kSweepLabel, of.sweep}});
  return out;
}

json::Object role_of(const JobOfScript& of, const char* type, std::int64_t replicas, json::Object pod) {
  // Not Never: a rank that the machine ended, by a reboot for example, starts again and is not charged.
  return {{"type", type},
          {"replicas", replicas},
          {"restartPolicy", "OnFailure"},
          {"template", json::Object{{"metadata", pod_metadata_of(of)}, {"spec", std::move(pod)}}}};
}

/// A port of the machine can belong to one pod only, so rank 0 is a role of its own when it has some.
json::Array roles_of(const JobOfScript& of, const json::Object& container, const json::Array& volumes) {
  const auto pod_of = [&](json::Object one) {
    return json::Object{{"containers", json::Array{Document(std::move(one))}}, {"volumes", volumes}};
  };
  if (of.ports.empty()) return {Document(role_of(of, "worker", of.ranks, pod_of(container)))};
  json::Array ports;
  for (const auto& [on_host, in_pod] : of.ports) {
    ports.emplace_back(json::Object{{"containerPort", in_pod}, {"hostPort", on_host}});
  }
  json::Object first = container;
  first.append("ports", std::move(ports));
  if (of.ranks == 1) return {Document(role_of(of, "worker", 1, pod_of(std::move(first))))};
  return {Document(role_of(of, "master", 1, pod_of(std::move(first)))),
          Document(role_of(of, "worker", of.ranks - 1, pod_of(container)))};
}

json::Object container_of(const JobOfScript& of, json::Array mounts) {
  json::Object out{{"name", "pytorch"},
                   {"image", of.image},
                   {"command", json::Array(of.command.begin(), of.command.end())},
                   {"workingDir", of.working_dir},
                   {"env", of.env},
                   // A limit without a request is a request as well.
                   {"resources", json::Object{{"limits", of.limits}, {"requests", of.limits}}},
                   {"volumeMounts", std::move(mounts)}};
  if (of.reads_input) {
    out.append("stdin", true);
    out.append("stdinOnce", true);
  }
  if (of.has_terminal) out.append("tty", true);
  return out;
}

json::Object metadata_of(const JobOfScript& of) {
  const bool named = !of.name.empty();
  json::Object out{{named ? "name" : "generateName", named ? of.name : of.name_prefix + "-"}};
  json::Object labels = of.labels;
  if (!of.sweep.empty()) labels.set(api::kSweepLabel, of.sweep);
  if (!labels.empty()) out.append("labels", std::move(labels));
  if (!of.annotations.empty()) out.append("annotations", of.annotations);
  return out;
}

json::Object run_policy_of(const JobOfScript& of) {
  json::Object out{{"backoffLimit", of.restarts}};
  if (of.longest) out.append("activeDeadlineSeconds", *of.longest);
  return out;
}

json::Object scheduler_of(const JobOfScript& of) {
  json::Object out;
  if (!of.queue.empty()) out.append("queue", of.queue);
  if (of.priority) out.append("priority", *of.priority);
  return out;
}

}  // namespace

const api::Resource& run_kind() {
  return *api::find_kind("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob");
}

void JobOfScript::set_variable(const std::string& variable, Document entry_value) {
  std::erase_if(env, [&](const Document& entry) { return entry.string_at("name") == variable; });
  const char* key = entry_value.is_string() ? "value" : "valueFrom";
  env.emplace_back(json::Object{{"name", variable}, {key, std::move(entry_value)}});
}

bool JobOfScript::has_variable(const std::string& variable) const {
  return std::ranges::any_of(env, [&](const Document& entry) { return entry.string_at("name") == variable; });
}

Document job_object(const JobOfScript& of) {
  json::Array mounts;
  json::Array volumes;
  for (std::size_t i = 0; i < of.folders.size(); ++i) {
    const MountedFolder& folder = of.folders[i];
    const std::string volume = fmt::format("folder-{}", i);
    volumes.emplace_back(
        json::Object{{"name", volume}, {"persistentVolumeClaim", json::Object{{"claimName", folder.claim}}}});
    mounts.emplace_back(json::Object{{"name", volume}, {"mountPath", folder.place()}, {"readOnly", folder.read_only}});
  }
  json::Object spec{{"runPolicy", run_policy_of(of)},
                    {"replicaSpecs", roles_of(of, container_of(of, std::move(mounts)), volumes)}};
  if (json::Object scheduler = scheduler_of(of); !scheduler.empty()) {
    spec.append("scheduler", json::Object{{"t9kScheduler", std::move(scheduler)}});
  }
  return json::Object{{"apiVersion", run_kind().api_version()},
                      {"kind", run_kind().kind},
                      {"metadata", metadata_of(of)},
                      {"spec", std::move(spec)}};
}

}  // namespace muster::cli
