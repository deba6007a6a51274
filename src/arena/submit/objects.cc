#include "arena/submit/objects.h"

#include <fmt/core.h>

#include "api/muster/names.h"
#include "arena/jobs/jobs.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

using json::Array;
using json::Document;
using json::Object;

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

/// `--queue` alone meant kube-queue in Arena; `--queue=true` still does.
bool names_queue(const SubmitFlags& flags) {
  return !flags.queue.empty() && flags.queue != "true" && flags.queue != "false";
}

Object run_policy(const SubmitFlags& flags) {
  Object out{{"cleanPodPolicy", flags.clean_task_policy}, {"backoffLimit", flags.retry}};
  if (flags.running_timeout > Duration(0)) out.append("activeDeadlineSeconds", whole_seconds(flags.running_timeout));
  if (flags.ttl_after_finished > Duration(0)) {
    out.append("ttlSecondsAfterFinished", whole_seconds(flags.ttl_after_finished));
  }
  Object scheduling;
  if (flags.starting_timeout > Duration(0)) {
    scheduling.append("scheduleTimeoutSeconds", whole_seconds(flags.starting_timeout));
  }
  if (names_queue(flags)) scheduling.append("queue", flags.queue);
  if (!scheduling.empty()) out.append("schedulingPolicy", std::move(scheduling));
  return out;
}

Document metadata_of(const Placement& placement, const std::string& name, Object labels) {
  return Object{{"name", name}, {"namespace", placement.ns}, {"labels", std::move(labels)}};
}

Object pytorch_roles(const JobRequest& request, const Placement& placement) {
  const SubmitFlags& flags = request.flags;
  Object out;
  // The master counts as one of the workers.
  const std::string of_master = flags.image.empty() ? flags.worker_role.image : flags.image;
  out.append("Master", role_object(request, placement, {.image = of_master, .gpus = flags.gpus}));
  if (flags.workers > 1) {
    out.append("Worker", role_object(request, placement,
                                     {.image = request.image_of(flags.worker_role),
                                      .replicas = flags.workers - 1,
                                      .gpus = flags.gpus,
                                      .restart_policy = "OnFailure"}));
  }
  return out;
}

Object mpi_roles(const JobRequest& request, const Placement& placement) {
  const SubmitFlags& flags = request.flags;
  Object out;
  out.append("Launcher",
             role_object(request, placement, {.image = flags.image, .mounts_data = flags.mounts_on_launcher}));
  out.append("Worker",
             role_object(request, placement,
                         {.image = flags.image, .replicas = flags.workers, .gpus = flags.gpus, .runs_command = false}));
  return out;
}

Object tf_roles(const JobRequest& request, const Placement& placement) {
  const SubmitFlags& flags = request.flags;
  Object out;
  const auto add = [&](const char* role, std::int64_t replicas, const RoleFlags& of, std::int64_t gpus,
                       const char* restart_policy) {
    if (replicas < 1) return;
    out.append(role, role_object(request, placement,
                                 {.image = request.image_of(of),
                                  .replicas = replicas,
                                  .gpus = gpus,
                                  .restart_policy = restart_policy,
                                  .flags = &of,
                                  .role = role}));
  };
  const bool alone = request.is_standalone_tf();
  const bool has_chief = flags.chief || alone;
  const RoleFlags& chief = alone ? flags.worker_role : flags.chief_role;
  add("Chief", has_chief ? 1 : 0, chief, flags.gpus, "Never");
  add("PS", flags.ps, flags.ps_role, flags.ps_gpus, "Never");
  add("Worker", alone ? 0 : flags.workers, flags.worker_role, flags.gpus, has_chief ? "OnFailure" : "Never");
  add("Evaluator", flags.evaluator ? 1 : 0, flags.evaluator_role, 0, "Never");
  return out;
}

/// "w,p,c,e" and the long names of the roles, as the long names.
std::string long_role_names(const std::string& sequence) {
  std::vector<std::string> out;
  for (const std::string& item : split(sequence, ',')) {
    const std::string role = to_lower(trim(item));
    out.push_back(role.starts_with('w')   ? "Worker"
                  : role.starts_with('p') ? "PS"
                  : role.starts_with('c') ? "Chief"
                                          : "Evaluator");
  }
  return join(out, ",");
}

Object annotations_of(const JobRequest& request, const Placement& placement) {
  Object out;
  for (const auto& [key, value] : request.annotations) out.append(key, value);
  out.set(kGpusAnnotation, std::to_string(request.total_gpus()));
  if (request.flags.queue == "true") out.set("scheduling.x-k8s.io/suspend", "true");
  if (request.is_standalone_tf()) out.set("arena.kubeflow.org/disable-tf-config", "true");
  const std::string& sequence =
      request.flags.role_sequence.empty() ? placement.tf_role_sequence : request.flags.role_sequence;
  if (request.type->name == "tfjob" && !sequence.empty()) out.set("job-role-sequence", long_role_names(sequence));
  if (!placement.user.empty()) out.set("arena.kubeflow.org/username", placement.user);
  return out;
}

Document job_object(const JobRequest& request, const Placement& placement) {
  const SubmitFlags& flags = request.flags;
  Document metadata = metadata_of(placement, flags.name, labels_of(request));
  if (!placement.user_id.empty()) metadata["labels"]["arena.kubeflow.org/uid"] = placement.user_id;
  metadata["annotations"] = annotations_of(request, placement);
  Object spec{{"runPolicy", run_policy(flags)}};
  if (request.type->name == "pytorchjob") {
    spec.append("pytorchReplicaSpecs", pytorch_roles(request, placement));
    if (!flags.nproc_per_node.empty()) spec.append("nprocPerNode", flags.nproc_per_node);
  } else if (request.type->name == "tfjob") {
    if (flags.success_policy == "AllWorkers") spec.append("successPolicy", flags.success_policy);
    spec.append("tfReplicaSpecs", tf_roles(request, placement));
  } else {
    spec.append("slotsPerWorker", flags.gpus > 0 ? flags.gpus : std::int64_t{1});
    spec.append("mpiReplicaSpecs", mpi_roles(request, placement));
  }
  return Object{{"apiVersion", fmt::format("{}/{}", kJobGroup, placement.version)},
                {"kind", request.type->kind},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)}};
}

Document part(const JobRequest& request, const Placement& placement, const char* kind, const std::string& name) {
  return Object{{"apiVersion", "v1"},
                {"kind", kind},
                {"metadata", metadata_of(placement, name,
                                         {{kReleaseLabel, request.flags.name}, {"createdBy", request.type->kind}})}};
}

Document credentials_secret(const JobRequest& request, const Placement& placement) {
  Document out = part(request, placement, "Secret", secret_name(request.flags.name));
  Object data;
  for (const auto& [name, value] : request.credentials) data.append(name, base64_encode(value));
  out["type"] = "Opaque";
  out["data"] = std::move(data);
  return out;
}

Document config_files_map(const JobRequest& request, const Placement& placement) {
  Document out = part(request, placement, "ConfigMap", request.flags.name + "-config-files");
  Object data;
  for (std::size_t i = 0; i < request.config_files.size(); ++i) {
    data.append(fmt::format("file-{}", i), base64_encode(request.config_files[i].content));
  }
  out["binaryData"] = std::move(data);
  return out;
}

Document log_claim(const JobRequest& request, const Placement& placement) {
  Document out = part(request, placement, "PersistentVolumeClaim", request.flags.name + "-training-logs");
  out["spec"] =
      Object{{"accessModes", Array{"ReadWriteMany"}}, {"resources", Object{{"requests", Object{{"storage", "1Gi"}}}}}};
  return out;
}

/// The folder of the machine that the code comes from; only the owner of the engine may name one.
Document source_claim(const JobRequest& request, const Placement& placement) {
  Document out = part(request, placement, "PersistentVolumeClaim", source_claim_name(request.flags.name));
  out["metadata"]["annotations"] = Object{{api::kPathAnnotation, request.sync->folder}};
  out["spec"] =
      Object{{"accessModes", Array{"ReadOnlyMany"}}, {"resources", Object{{"requests", Object{{"storage", "1Gi"}}}}}};
  return out;
}

/// "deployment.apps/mnist-tensorboard"
std::string recorded_name(const Document& object) {
  const std::string& version = object.string_at("apiVersion");
  const std::size_t slash = version.find('/');
  const std::string kind = to_lower(object.string_at("kind"));
  const std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
  return fmt::format("{}{}/{}", kind, group, object.string_at("metadata", "name"));
}

/// The flags, without credentials.
std::string recorded_values(const JobRequest& request) {
  const SubmitFlags& flags = request.flags;
  Object envs;
  for (const auto& [name, value] : request.env) envs.append(name, value);
  Object claims;
  for (const Mounted& claim : request.claims) claims.append(claim.source, claim.path);
  Document out = Object{{"command", request.command},      {"image", flags.image},
                        {"workers", flags.workers},        {"gpuCount", flags.gpus},
                        {"workingDir", flags.working_dir}, {"envs", std::move(envs)},
                        {"dataset", std::move(claims)},    {"useTensorboard", flags.tensorboard},
                        {"trainingLogdir", flags.log_dir}};
  if (request.sync) {
    out["syncMode"] = flags.sync_mode;
    out["syncSource"] = request.sync->source;
  }
  return json::to_yaml(out);
}

/// What Arena's own `delete` reads, and ours.
Document record_object(const JobRequest& request, const Placement& placement, const Submission& made) {
  std::vector<std::string> names;
  for (const Document& object : made.parts) names.push_back(recorded_name(object));
  names.push_back(recorded_name(made.job));
  Document out = part(request, placement, "ConfigMap", record_name(request.flags.name, *request.type));
  out["metadata"]["labels"] = Object{{"createdBy", "arena"}, {kReleaseLabel, request.flags.name}};
  out["data"] = Object{{"app", join(names, "\n")},
                       {"values", recorded_values(request)},
                       {std::string(request.type->name), request.type->chart}};
  return out;
}

}  // namespace

Submission objects_of(const JobRequest& request, const Placement& placement) {
  Submission out{.job = job_object(request, placement), .parts = {}};
  if (!request.credentials.empty()) out.parts.push_back(credentials_secret(request, placement));
  if (!request.config_files.empty()) out.parts.push_back(config_files_map(request, placement));
  if (request.sync && !request.sync->folder.empty()) out.parts.push_back(source_claim(request, placement));
  if (needs_log_volume(request) && placement.log_volume == LogVolume::kClaim) {
    out.parts.push_back(log_claim(request, placement));
  }
  if (request.flags.tensorboard) {
    for (Document& object : tensorboard_objects(request, placement)) out.parts.push_back(std::move(object));
  }
  out.parts.insert(out.parts.begin(), record_object(request, placement, out));
  return out;
}

}  // namespace muster::arena
