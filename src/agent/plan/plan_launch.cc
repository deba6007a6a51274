#include "agent/plan/plan_launch.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/launch/environment.h"
#include "agent/network/networks.h"
#include "agent/volumes/volumes.h"
#include "api/capabilities.h"
#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "python/torchrun.h"

namespace muster::agent {
namespace {

using json::Document;

// The default working directory, in place of an image's: it is writable and private to the pod.
constexpr const char* kUsualFolder = "/root";

// Where every in-cluster client looks for its token.
constexpr const char* kAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
// No volume of a pod can have this name: it is not a DNS label.
constexpr const char* kAccountVolume = "serviceAccount";
constexpr const char* kProgramVolume = "musterProgram";
constexpr const char* kProgramFolder = "/run/muster/bin/";
constexpr const char* kRootCaMap = "kube-root-ca.crt";

std::vector<std::string> texts_at(const Document& object, std::string_view key, const Variables& variables) {
  std::vector<std::string> texts;
  for (const Document& item : object.array_at(key)) {
    if (item.is_string()) texts.push_back(expand(item.as_string(), variables));
  }
  return texts;
}

/// The pod's own word counts more than its account's, as in Kubernetes.
bool mounts_token(const Document& pod, const ApiAccess& access) {
  const Document* asked = pod.at("spec", "automountServiceAccountToken");
  return asked != nullptr && asked->is_bool() ? asked->as_bool() : access.automount;
}

LaunchVolume account_volume(const Document& pod, const ApiAccess& access) {
  return {kAccountVolume, FileFolder{{"token", 0644, access.token},
                                     {"ca.crt", 0644, access.ca_pem},
                                     {"namespace", 0644, pod.string_at("metadata", "namespace")}}};
}

/// A volume that the pod itself mounts at that place stays there.
void mount_account(std::vector<LaunchMount>& mounts) {
  if (std::ranges::find(mounts, kAccountFolder, &LaunchMount::target) != mounts.end()) return;
  mounts.push_back({.volume = kAccountVolume, .sub_path = "", .target = kAccountFolder, .read_only = true});
  std::ranges::stable_sort(mounts, {}, &LaunchMount::target);
}

/// A pod that mounts a volume of its own there does not get the program: nothing is written into a volume.
void mount_program(std::vector<LaunchMount>& mounts) {
  const std::string target = std::string(kProgramFolder) + "muster";
  const bool covered = std::ranges::any_of(mounts, [&](const LaunchMount& mount) {
    return target.starts_with(mount.target + "/") || target == mount.target;
  });
  if (covered) return;
  mounts.push_back({.volume = kProgramVolume, .sub_path = "", .target = target, .read_only = true});
  std::ranges::stable_sort(mounts, {}, &LaunchMount::target);
}

void add_program(const OwnProgram& program, Launch& launch) {
  if (program.path.empty()) return;
  // Named, which means that the shim never changes it: fsGroup would give it to a group, with the setgid bit.
  launch.volumes.push_back({kProgramVolume, HostFolder{program.path, FolderOrigin::kNamed}});
  for (const std::string& name : program.names) launch.links.emplace_back(kProgramFolder + name, "muster");
  launch.links.emplace_back(fmt::format("{}/{}", python::kLauncherFolder, python::kTorchrun), "../bin/muster");
}

/// In a cluster every namespace has a ConfigMap with the authority of the API server. Here it is not stored.
References with_root_ca(References references, const ApiAccess& access) {
  const auto map = std::make_shared<const Document>(json::Object{{"data", json::Object{{"ca.crt", access.ca_pem}}}});
  references.config_map = [map, find = std::move(references.config_map)](const std::string& name) {
    auto stored = find(name);
    return stored == nullptr && name == kRootCaMap ? map : stored;
  };
  return references;
}

/// The inputs with what the pod's containers need to use the API, when they can.
struct InputsWithAccess : LaunchInputs {
  std::optional<ApiAccess> access;
  const ApiAccess* api() const { return access ? &*access : nullptr; }
};

Result<InputsWithAccess> with_access(const LaunchInputs& given, const Options& options, std::vector<PodEvent>& events) {
  InputsWithAccess inputs{given, std::nullopt};
  if (!options.api_access) return inputs;
  auto access = options.api_access(*inputs.pod);
  if (access) {
    inputs.references = with_root_ca(std::move(inputs.references), *access);
    inputs.access = *std::move(access);
    if (given.has_own_network) inputs.access->host = "127.0.0.1";
    return inputs;
  }
  if (access.error().reason != Reason::kNotFound) return std::move(access).error();
  // A manifest written for a cluster may name an account of that cluster without ever using it.
  events.push_back({"Warning", "ServiceAccount",
                    access.error().message + ": the pod runs without a token for the API; create the account first"});
  return inputs;
}

Result<VolumePlan> plan_volumes_of(const InputsWithAccess& inputs, const Paths& paths) {
  return plan_volumes(*inputs.pod, {.facts = inputs.facts, .references = inputs.references, .access = inputs.api()},
                      paths);
}

Variables default_variables(const Document& pod, const PodFacts& facts, const FoundEnvironment& environment,
                            const ApiAccess* access) {
  Variables variables = {{"PATH", environment.path},
                         {"HOME", "/root"},
                         {"HOSTNAME", host_name_of(pod)},
                         {"LANG", "C.UTF-8"},
                         // Output goes to a pipe: with buffering, lines would appear in blocks, and the last ones would
                         // be lost when the program is killed.
                         {"PYTHONUNBUFFERED", "1"}};
  // Only one user exists in the pods of an ordinary user. tar, which `kubectl cp` starts, would try to give the files
  // to the user that owned them on the client's machine, and fail.
  if (!facts.may_change_user) variables.emplace_back("TAR_OPTIONS", "--no-same-owner");
  // NCCL takes processes with different host names for different machines, unless this names the machine: ranks would
  // use sockets instead of NVLink and shared memory.
  if (api::controller_of(pod) != nullptr) variables.emplace_back("NCCL_HOSTID", network_key(pod));
  for (const auto& [name, value] : environment.variables) variables.emplace_back(name, value);
  if (access == nullptr) return variables;
  variables.emplace_back("KUBERNETES_SERVICE_HOST", access->host);
  for (const char* name : {"KUBERNETES_SERVICE_PORT", "KUBERNETES_SERVICE_PORT_HTTPS"}) {
    variables.emplace_back(name, std::to_string(access->port));
  }
  return variables;
}

std::optional<std::int64_t> id_at(const Document& context, const char* key) {
  const Document* found = context.find(key);
  return found != nullptr && found->is_int() ? std::optional(found->as_int()) : std::nullopt;
}

/// Returns the user that securityContext asks for; the container's own wins over the pod's.
std::optional<LaunchUser> user_of(const Document& pod, const Document& container) {
  static const Document kNone{json::Object{}};
  const Document* of_pod = pod.at("spec", "securityContext");
  const Document* of_container = container.find("securityContext");
  const Document& outer = of_pod != nullptr ? *of_pod : kNone;
  const Document& inner = of_container != nullptr ? *of_container : kNone;
  const auto id = [&](const char* key) {
    const auto own = id_at(inner, key);
    return own ? own : id_at(outer, key);
  };
  LaunchUser user;
  user.uid = static_cast<std::uint32_t>(id("runAsUser").value_or(0));
  user.gid = static_cast<std::uint32_t>(id("runAsGroup").value_or(0));
  for (const Document& group : outer.array_at("supplementalGroups")) {
    if (group.is_int()) user.groups.push_back(static_cast<std::uint32_t>(group.as_int()));
  }
  if (const auto group = id_at(outer, "fsGroup")) user.groups.push_back(static_cast<std::uint32_t>(*group));
  if (user == LaunchUser{}) return std::nullopt;
  return user;
}

StandardInput standard_input_of(const Document& container) {
  if (!container.bool_at("stdin")) return StandardInput::kNone;
  return container.bool_at("stdinOnce") ? StandardInput::kOnce : StandardInput::kAlways;
}

/// Skips duplicates: several containers of a pod often cause the same one.
void add_event(std::vector<PodEvent>& events, PodEvent event) {
  for (const PodEvent& made : events) {
    if (made.reason == event.reason && made.message == event.message) return;
  }
  events.push_back(std::move(event));
}

/// Inside, every user and group is the engine's own, so that there is nobody to share a group with.
std::optional<LaunchUser> without_groups(LaunchUser user, std::vector<PodEvent>& events) {
  if (user.groups.empty()) return user;
  add_event(events, {"Warning", "SecurityContext",
                     "securityContext: supplementalGroups and fsGroup are not applied, because the engine does not run "
                     "as root: all files of the pod belong to the engine's user"});
  user.groups.clear();
  return user == LaunchUser{} ? std::nullopt : std::optional(user);
}

/// Returns what the program behind a page needs: people choose the images of their jobs, and not these.
std::string module_for_page(const Document& pod) {
  if (!pod.string_at("metadata", "labels", api::kNotebookUidLabel).empty()) return "jupyterlab";
  const bool is_board = !pod.string_at("metadata", "labels", api::kTensorBoardUidLabel).empty() ||
                        pod.string_at("metadata", "labels", "role") == "tensorboard";  // of Arena
  return is_board ? "tensorboard" : "";
}

void add_environment(const FoundEnvironment& environment, Launch& launch) {
  for (const std::string& path : environment.through) {
    if (std::ranges::find(launch.through, path) == launch.through.end()) launch.through.push_back(path);
  }
  for (const auto& link : environment.links) {
    if (std::ranges::find(launch.links, link) == launch.links.end()) launch.links.push_back(link);
  }
}

/// A volume that the pod itself mounts there stays there.
void mount_home(const std::string& folder, std::vector<LaunchMount>& mounts, LaunchPlan& plan) {
  if (std::ranges::find(mounts, kUsualFolder, &LaunchMount::target) != mounts.end()) return;
  const std::string name = "home:" + folder;  // not a DNS label, so no volume of the pod has this name
  if (std::ranges::find(plan.launch.volumes, name, &LaunchVolume::name) == plan.launch.volumes.end()) {
    plan.launch.volumes.push_back({name, HostFolder{folder, FolderOrigin::kNamed}});
    plan.folders.push_back({folder});
  }
  mounts.push_back({.volume = name, .sub_path = "", .target = kUsualFolder, .read_only = false});
  std::ranges::stable_sort(mounts, {}, &LaunchMount::target);
}

Status add_container(const InputsWithAccess& inputs, const Document& container, bool is_init, const Options& options,
                     LaunchPlan& plan) {
  const Document& pod = *inputs.pod;
  LaunchContainer to;
  to.name = container.string_at("name");
  to.is_init = is_init;
  TRY_ASSIGN(const FoundEnvironment environment,
             find_environment(container.string_at("image"), options, module_for_page(pod)));
  add_environment(environment, plan.launch);
  add_event(plan.events, {"Normal", "Environment", environment.description});
  add_event(plan.events,
            {"Normal", "Pulled",
             fmt::format("Container image {} already present on machine", quote(container.string_at("image")))});
  to.user = user_of(pod, container);
  if (to.user && !inputs.facts.may_change_user) to.user = without_groups(*to.user, plan.events);
  if (const Document* security = container.find("securityContext")) to.capabilities = api::capabilities_of(*security);
  if (inputs.facts.most_locked && (to.capabilities.value_or(0) & api::kIpcLockBit) != 0) {
    add_event(plan.events,
              {"Warning", "SecurityContext",
               fmt::format("securityContext: with IPC_LOCK the pod can lock {} KiB of memory, which is the "
                           "hard limit of the engine; raise it (ulimit -Hl) and restart the engine",
                           *inputs.facts.most_locked / 1024)});
  }
  to.standard_input = standard_input_of(container);
  to.tty = container.bool_at("tty");
  to.read_only_root = container.bool_at("securityContext", "readOnlyRootFilesystem");
  to.termination_path = container.string_at("terminationMessagePath");
  TRY_ASSIGN(to.env, container_variables(pod, container, inputs.facts, inputs.references,
                                         default_variables(pod, inputs.facts, environment, inputs.api())));
  TRY_ASSIGN(to.args, command_line(container, environment.command, to.env, plan.events));
  TRY_ASSIGN(to.mounts, plan_mounts(pod, container, to.env));
  to.rootfs = environment.rootfs;
  to.writable = environment.writable;
  to.shown = environment.shown;
  if (!environment.home.empty()) mount_home(environment.home, to.mounts, plan);
  if (inputs.access && mounts_token(pod, *inputs.access)) mount_account(to.mounts);
  if (!options.program.path.empty()) mount_program(to.mounts);
  to.cwd = container.string_at("workingDir");
  if (to.cwd.empty()) to.cwd = environment.working_dir;
  if (to.cwd.empty()) to.cwd = kUsualFolder;
  if (to.cwd[0] != '/') {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("workingDir: must be absolute, got {}", quote(to.cwd))};
  }
  plan.launch.containers.push_back(std::move(to));
  return ok();
}

}  // namespace

Result<std::vector<std::string>> command_line(const Document& container, const std::vector<std::string>& usual,
                                              const Variables& variables, std::vector<PodEvent>& events) {
  std::vector<std::string> command = texts_at(container, "command", variables);
  if (command.empty()) command = usual;
  const std::vector<std::string> args = texts_at(container, "args", variables);
  if (command.empty() && args.empty()) {
    return Error{
        .reason = Reason::kInvalid,
        .message = fmt::format("command is missing, and image {} has no default command on this engine; set command",
                               quote(container.string_at("image")))};
  }
  if (command.empty() && args[0].ends_with(".py")) {
    command = {"python"};
    events.push_back(
        {"Normal", "Environment",
         fmt::format("container {} has no command: running {} with python, as an image's entry point would",
                     quote(container.string_at("name")), args[0])});
  }
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

Result<LaunchPlan> plan_launch(const LaunchInputs& given, const Options& options, const Paths& paths) {
  const Document& pod = *given.pod;
  static const Document kEmpty{json::Object{}};
  const Document* spec_found = pod.find("spec");
  const Document& spec = spec_found != nullptr ? *spec_found : kEmpty;
  LaunchPlan plan;
  plan.launch.hostname = host_name_of(pod);
  plan.launch.resolver = given.resolver;
  plan.launch.hidden = {paths.root()};
  plan.launch.through = options.visible;
  plan.launch.log.segment_bytes =
      std::max<std::int64_t>(1, options.logs.max_bytes_per_container / plan.launch.log.segments);
  if (const Document* grace = spec.find("terminationGracePeriodSeconds"); grace != nullptr && grace->is_int()) {
    plan.launch.grace_seconds = grace->as_int();
  }
  plan.launch.restart = desired_pod(pod).restart_policy;
  if (const Document* context = spec.find("securityContext")) {
    if (const auto group = id_at(*context, "fsGroup")) plan.launch.group = static_cast<std::uint32_t>(*group);
  }
  TRY_ASSIGN(const InputsWithAccess inputs, with_access(given, options, plan.events));
  TRY_ASSIGN(auto volumes, plan_volumes_of(inputs, paths));
  plan.launch.volumes = std::move(volumes.volumes);
  if (inputs.access && mounts_token(pod, *inputs.access)) {
    plan.launch.volumes.push_back(account_volume(pod, *inputs.access));
  }
  add_program(options.program, plan.launch);
  plan.folders = std::move(volumes.folders);
  for (const bool is_init : {true, false}) {
    for (const Document& container : spec.array_at(is_init ? "initContainers" : "containers")) {
      if (auto added = add_container(inputs, container, is_init, options, plan); !added) {
        return in_context(fmt::format("container {}", quote(container.string_at("name"))), std::move(added).error());
      }
    }
  }
  return plan;
}

Status check_volumes(const LaunchInputs& given, const Options& options, const Paths& paths) {
  std::vector<PodEvent> events;
  TRY_ASSIGN(const InputsWithAccess inputs, with_access(given, options, events));
  const auto planned = plan_volumes_of(inputs, paths);
  return planned ? ok() : Status(planned.error());
}

}  // namespace muster::agent
