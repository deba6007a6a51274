// The pods of a job: containers, volumes, environment, placement.
#include <fmt/core.h>

#include "arena/jobs/jobs.h"
#include "arena/submit/objects.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using json::Array;
using json::Document;
using json::Object;

constexpr const char* kCodeVolume = "code-sync";
constexpr const char* kSourceVolume = "code-source";
constexpr const char* kSharedMemory = "dshm";
constexpr const char* kLogVolume = "training-logs";
constexpr const char* kGitSecretVolume = "git-secret";
constexpr const char* kGitSecretPath = "/etc/git-secret";
constexpr const char* kGitSyncImage = "registry.cn-zhangjiakou.aliyuncs.com/acs/git-sync:v3.3.5";
constexpr const char* kRsyncImage = "registry.cn-zhangjiakou.aliyuncs.com/acs/rsync:v3.1.0-aliyun";

Document variable(const std::string& name, const std::string& value) {
  return Object{{"name", name}, {"value", value}};
}

Document volume_mount(const std::string& volume, const std::string& path) {
  return Object{{"name", volume}, {"mountPath", path}};
}

Object object_of(const TextMap& map) {
  Object out;
  for (const auto& [key, value] : map) out.append(key, value);
  return out;
}

Array variables(const JobRequest& request, std::int64_t gpus) {
  Array out;
  for (const auto& [name, value] : request.env) out.push_back(variable(name, value));
  out.push_back(variable("workers", std::to_string(request.flags.workers)));
  out.push_back(variable("gpus", std::to_string(request.flags.gpus)));
  const bool shares_gpus =
      request.labels.contains("aliyun.com/gpu-count") || request.devices.contains("aliyun.com/gpu-mem");
  if (gpus == 0 && !shares_gpus) out.push_back(variable("NVIDIA_VISIBLE_DEVICES", "void"));
  if (!request.flags.nproc_per_node.empty())
    out.push_back(variable("PET_NPROC_PER_NODE", request.flags.nproc_per_node));
  if (request.flags.rdma && request.type->name == "pytorchjob") {
    out.push_back(variable("MASTER_ADDR", request.flags.name + "-master-0"));
  }
  return out;
}

/// --cpu and the like set request and limit; the limits of a TFJob's roles have flags of their own.
Object resources_of(const JobRequest& request, const RoleOptions& options) {
  Object limits;
  Object requests;
  const auto add = [&](const char* name, const std::string& amount, const std::string& limit) {
    if (!amount.empty()) requests.set(name, amount);
    if (const std::string& most = limit.empty() ? amount : limit; !most.empty()) limits.set(name, most);
  };
  add("cpu", request.flags.cpu, "");
  add("memory", request.flags.memory, "");
  if (options.flags != nullptr) {
    add("cpu", options.flags->cpu, options.flags->cpu_limit);
    add("memory", options.flags->memory, options.flags->memory_limit);
  }
  if (options.gpus > 0) add(request.flags.gpu_topology ? "aliyun.com/gpu" : kGpu, std::to_string(options.gpus), "");
  for (const auto& [name, amount] : request.devices) add(name.c_str(), amount, "");
  if (request.flags.rdma) add("rdma/hca", "1", "");
  Object out;
  if (!requests.empty()) out.append("requests", std::move(requests));
  if (!limits.empty()) out.append("limits", std::move(limits));
  return out;
}

Document git_container(const JobRequest& request) {
  const CodeSync& sync = *request.sync;
  Array env{variable("GIT_SYNC_REPO", sync.source), variable("GIT_SYNC_DEST", sync.project),
            variable("GIT_SYNC_ROOT", "/code"), variable("GIT_SYNC_ONE_TIME", "true")};
  for (const auto& [name, value] : request.env) env.push_back(variable(name, value));
  for (const auto& [name, value] : request.credentials) {
    Object reference{{"name", secret_name(request.flags.name)}, {"key", name}};
    env.push_back(Object{{"name", name}, {"valueFrom", Object{{"secretKeyRef", std::move(reference)}}}});
  }
  if (!request.flags.sync_secret.empty()) env.push_back(variable("GIT_SYNC_SSH", "true"));
  return Object{{"name", "init-code"}, {"image", kGitSyncImage}, {"env", std::move(env)}};
}

Document rsync_container(const JobRequest& request) {
  Array env;
  for (const auto& [name, value] : request.env) env.push_back(variable(name, value));
  return Object{{"name", "init-code"},
                {"image", kRsyncImage},
                // The code belongs to whoever runs it: its owner elsewhere may be nobody here.
                {"command", Array{"rsync", "-avP", "--no-owner", "--no-group", "--timeout=60", "--",
                                  request.sync->source, "/code"}},
                {"env", std::move(env)}};
}

/// The init container that fetches the code into the volume that the main container sees in its working directory.
void add_code(const JobRequest& request, Object& spec, Array& volumes, Array& mounts) {
  if (!request.sync) return;
  const bool git = request.sync->mode == CodeSync::Mode::kGit;
  Document container = git ? git_container(request) : rsync_container(request);
  if (!request.flags.sync_image.empty()) container["image"] = request.flags.sync_image;
  container["imagePullPolicy"] = request.flags.image_pull_policy;
  Array own_mounts{volume_mount(kCodeVolume, "/code")};
  volumes.push_back(Object{{"name", kCodeVolume}, {"emptyDir", Object{}}});
  if (!request.flags.sync_secret.empty()) {
    own_mounts.push_back(volume_mount(kGitSecretVolume, kGitSecretPath));
    volumes.push_back(Object{{"name", kGitSecretVolume},
                             {"secret", Object{{"secretName", request.flags.sync_secret}, {"defaultMode", 0400}}}});
  }
  if (const std::string& source = request.sync->folder; !source.empty()) {
    Document mount = volume_mount(kSourceVolume, source);
    mount["readOnly"] = true;
    own_mounts.push_back(std::move(mount));
    volumes.push_back(Object{
        {"name", kSourceVolume},
        {"persistentVolumeClaim", Object{{"claimName", source_claim_name(request.flags.name)}, {"readOnly", true}}}});
  }
  container["volumeMounts"] = std::move(own_mounts);
  const std::string& folder = request.flags.working_dir;
  mounts.push_back(volume_mount(kCodeVolume, (folder == "/" ? "" : folder) + "/code"));
  spec.set("initContainers", Array{std::move(container)});
}

void add_config_files(const JobRequest& request, Array& volumes, Array& mounts) {
  if (request.config_files.empty()) return;
  constexpr const char* kVolume = "config-files";
  volumes.push_back(Object{{"name", kVolume}, {"configMap", Object{{"name", request.flags.name + "-config-files"}}}});
  for (std::size_t i = 0; i < request.config_files.size(); ++i) {
    // Mounted file by file, so that the other files of the folder stay visible.
    mounts.push_back(
        Object{{"name", kVolume}, {"mountPath", request.config_files[i].path}, {"subPath", fmt::format("file-{}", i)}});
  }
}

void add_host_dirs(const JobRequest& request, Array& volumes, Array& mounts) {
  for (std::size_t i = 0; i < request.host_dirs.size(); ++i) {
    const std::string name = fmt::format("training-data-{}", i);
    volumes.push_back(Object{{"name", name}, {"hostPath", Object{{"path", request.host_dirs[i].source}}}});
    mounts.push_back(volume_mount(name, request.host_dirs[i].path));
  }
}

Document affinity_of(const JobRequest& request, const RoleOptions& options) {
  if (options.flags == nullptr || options.flags->affinity_policy == "none") return {};
  const bool spread = options.flags->affinity_policy == "spread";
  Object term{{"labelSelector",
               Object{{"matchLabels", Object{{kReleaseLabel, request.flags.name}, {"tf-replica-type", options.role}}}}},
              {"topologyKey", "kubernetes.io/hostname"}};
  Object rule;
  if (options.flags->affinity_constraint == "required") {
    rule.append("requiredDuringSchedulingIgnoredDuringExecution", Array{std::move(term)});
  } else {
    rule.append("preferredDuringSchedulingIgnoredDuringExecution",
                Array{Object{{"weight", 100}, {"podAffinityTerm", std::move(term)}}});
  }
  return Object{{spread ? "podAntiAffinity" : "podAffinity", std::move(rule)}};
}

Object node_selector(const JobRequest& request, const RoleOptions& options) {
  Object out = object_of(request.selector);
  if (options.flags == nullptr || options.flags->selectors.empty()) return out;
  Object own;
  for (const std::string& item : options.flags->selectors) {
    const std::size_t equals = item.find('=');
    own.set(item.substr(0, equals), equals == std::string::npos ? "" : item.substr(equals + 1));
  }
  return own;
}

void add_placement(const JobRequest& request, const Placement& placement, const RoleOptions& options, Object& spec) {
  const SubmitFlags& flags = request.flags;
  if (Object selector = node_selector(request, options); !selector.empty())
    spec.append("nodeSelector", std::move(selector));
  if (!request.tolerations.empty()) spec.append("tolerations", request.tolerations);
  if (Document affinity = affinity_of(request, options); !affinity.is_null())
    spec.append("affinity", std::move(affinity));
  if (!flags.priority.empty()) spec.append("priorityClassName", flags.priority);
  if (!flags.scheduler.empty()) spec.append("schedulerName", flags.scheduler);
  const bool eni =
      request.annotations.contains("k8s.aliyun.com/eni") && request.annotations.at("k8s.aliyun.com/eni") == "true";
  if ((flags.host_network || flags.gpu_topology) && !eni) {
    spec.append("hostNetwork", true);
    spec.append("dnsPolicy", "ClusterFirstWithHostNet");
  }
  if (flags.host_ipc) spec.append("hostIPC", true);
  if (flags.host_pid) spec.append("hostPID", true);
  Array secrets;
  for (const std::string& name :
       flags.image_pull_secrets.empty() ? placement.image_pull_secrets : flags.image_pull_secrets) {
    secrets.push_back(Object{{"name", name}});
  }
  if (!secrets.empty()) spec.append("imagePullSecrets", std::move(secrets));
}

Document main_container(const JobRequest& request, const RoleOptions& options, Array mounts) {
  Object out{{"name", request.type->container},
             {"image", options.image},
             {"imagePullPolicy", request.flags.image_pull_policy},
             {"workingDir", request.flags.working_dir}};
  if (options.runs_command) out.append("command", Array{request.flags.shell, "-c", request.command});
  out.append("env", variables(request, options.gpus));
  if (Object resources = resources_of(request, options); !resources.empty()) {
    out.append("resources", std::move(resources));
  }
  if (options.flags != nullptr && options.flags->port > 0) {
    out.append("ports", Array{Object{{"name", "tfjob-port"}, {"containerPort", options.flags->port}}});
  }
  if (request.flags.rdma) {
    out.append("securityContext", Object{{"capabilities", Object{{"add", Array{"IPC_LOCK"}}}}});
  }
  out.append("volumeMounts", std::move(mounts));
  return out;
}

Object template_labels(const JobRequest& request) {
  Object out = labels_of(request);
  if (request.flags.gang) {
    out.set("pod-group.scheduling.sigs.k8s.io/name", fmt::format("{}-{}", request.type->name, request.flags.name));
    out.set("pod-group.scheduling.sigs.k8s.io/min-available", std::to_string(request.flags.workers + request.flags.ps));
  }
  if (request.flags.gpu_topology) {
    out.set("gpu-topology", request.flags.name);
    out.set("gpu-topology-replica", std::to_string(request.flags.workers));
  }
  return out;
}

}  // namespace

std::string secret_name(const std::string& job) {
  return job + "-git-sync";
}

std::string source_claim_name(const std::string& job) {
  return job + "-code-source";
}

Object labels_of(const JobRequest& request) {
  Object out{{kTypeLabel, request.type->name},
             {"chart", fmt::format("{}-{}", request.type->name, request.type->chart)},
             {kReleaseLabel, request.flags.name},
             {"heritage", "Helm"},
             {"createdBy", request.type->kind}};
  for (const auto& [key, value] : request.labels) out.set(key, value);
  return out;
}

void mount_claims(const JobRequest& request, Array& volumes, Array& mounts) {
  for (std::size_t i = 0; i < request.claims.size(); ++i) {
    const std::string name = fmt::format("data-{}", i);
    volumes.push_back(
        Object{{"name", name}, {"persistentVolumeClaim", Object{{"claimName", request.claims[i].source}}}});
    mounts.push_back(volume_mount(name, request.claims[i].path));
  }
}

bool needs_log_volume(const JobRequest& request) {
  if (!request.flags.tensorboard || !request.flags.log_dir.starts_with('/')) return false;
  for (const Mounted& claim : request.claims) {
    if (request.flags.log_dir == claim.path || request.flags.log_dir.starts_with(claim.path + "/")) return false;
  }
  return true;
}

Document log_volume(const JobRequest& request, const Placement& placement) {
  if (placement.log_volume == LogVolume::kClaim) {
    return Object{{"name", kLogVolume},
                  {"persistentVolumeClaim", Object{{"claimName", request.flags.name + "-training-logs"}}}};
  }
  return Object{{"name", kLogVolume}, {"hostPath", Object{{"path", "/arena_logs/training" + placement.log_folder_id}}}};
}

Document role_object(const JobRequest& request, const Placement& placement, const RoleOptions& options) {
  Object spec;
  Array volumes;
  Array mounts;
  if (!request.flags.share_memory.empty()) {
    volumes.push_back(Object{{"name", kSharedMemory},
                             {"emptyDir", Object{{"medium", "Memory"}, {"sizeLimit", request.flags.share_memory}}}});
    mounts.push_back(volume_mount(kSharedMemory, "/dev/shm"));
  }
  add_code(request, spec, volumes, mounts);
  if (options.mounts_data) {
    mount_claims(request, volumes, mounts);
    add_host_dirs(request, volumes, mounts);
    if (needs_log_volume(request)) {
      volumes.push_back(log_volume(request, placement));
      mounts.push_back(volume_mount(kLogVolume, request.flags.log_dir));
    }
  }
  add_config_files(request, volumes, mounts);
  spec.append("containers", Array{main_container(request, options, std::move(mounts))});
  if (!volumes.empty()) spec.append("volumes", std::move(volumes));
  add_placement(request, placement, options, spec);
  Object metadata{{"labels", template_labels(request)}};
  Object annotations = object_of(request.annotations);
  annotations.set(kGpusAnnotation, std::to_string(request.total_gpus()));
  metadata.append("annotations", std::move(annotations));
  return Object{{"replicas", options.replicas},
                {"restartPolicy", options.restart_policy},
                {"template", Object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}}}};
}

}  // namespace muster::arena
