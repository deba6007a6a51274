#include "control/notebook/notebook.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "control/observe.h"
#include "control/page/page.h"

namespace muster::control {

namespace {

constexpr std::string_view kNotebookEnding = "-nb";
// Where TensorStack mounts the claim of a notebook.
constexpr const char* kUsualHome = "/t9k/mnt";
constexpr const char* kTokenHashAnnotation = "muster.dev/notebook-token-hash";
// Files of JupyterLab that name its token or are ours; the pod's own, because the home is on a claim that others mount.
constexpr const char* kJupyterRuntimeFolder = "/tmp/jupyter/runtime";
constexpr const char* kJupyterConfigFolder = "/tmp/jupyter/config";

// An image without JupyterLab ends with this message, which the status then shows. JupyterLab writes its token into its
// page unless page_config.json says otherwise. A terminal is not a login shell, which would reset PATH and lose the
// programs of the environment.
constexpr const char* kNotebookScript =
    R"(python3 -c 'import importlib.util as find, sys; sys.exit(find.find_spec("jupyterlab") is None)' || {
  echo 'there is no JupyterLab in this environment; pip install jupyterlab there, or choose another image' |
    tee /dev/termination-log >&2
  exit 69
}
mkdir -p "$JUPYTER_CONFIG_PATH/labconfig"
echo '{"token": "", "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}' \
  >"$JUPYTER_CONFIG_PATH/labconfig/page_config.json"
shell=$(command -v bash || echo sh)
exec python3 -m jupyterlab "--ServerApp.terminado_settings={'shell_command': ['$shell']}" "$@")";

PageOwner notebook_owner(const api::Notebook& notebook) {
  return {.kind = "Notebook",
          .program = "JupyterLab",
          .uid_label = api::kNotebookUidLabel,
          .ending = kNotebookEnding,
          .port = kNotebookPort,
          .path = notebook_path(notebook.metadata.ns, notebook.metadata.name),
          .metadata = notebook.metadata,
          .status = notebook.status};
}

bool is_stopped(const api::Notebook& notebook) {
  return notebook.spec.suspend.value_or(false);
}

// ---- children ----

/// The folder that JupyterLab shows as its root and that is its HOME: on the first claim, unless workingDir says where.
std::string notebook_home(const api::PodSpec& spec, const api::Container& container) {
  if (!container.working_dir.empty()) return container.working_dir;
  for (const api::VolumeMount& mount : container.volume_mounts) {
    const auto volume = std::ranges::find(spec.volumes, mount.name, &api::Volume::name);
    if (volume != spec.volumes.end() && volume->persistent_volume_claim) return mount.mount_path;
  }
  return kUsualHome;
}

/// An idle kernel or terminal ends even while a forgotten page is connected to it; a busy kernel never does.
std::vector<std::string> idle_arguments(const api::NotebookSpec& spec) {
  if (!spec.stop_after_idle_seconds) return {};
  const std::int64_t seconds = *spec.stop_after_idle_seconds;
  const std::int64_t interval = std::clamp<std::int64_t>(seconds / 2, 1, 60);
  return {fmt::format("--ServerApp.shutdown_no_activity_timeout={}", seconds),
          fmt::format("--MappingKernelManager.cull_idle_timeout={}", seconds),
          fmt::format("--MappingKernelManager.cull_interval={}", interval),
          "--MappingKernelManager.cull_connected=True",
          fmt::format("--TerminalManager.cull_inactive_timeout={}", seconds),
          fmt::format("--TerminalManager.cull_interval={}", interval)};
}

/// JupyterLab checks neither the name of the server nor a password, because the proxy does.
std::vector<std::string> notebook_command(const api::Notebook& notebook, const std::string& home, Where where) {
  std::vector<std::string> command = {
      "sh", "-c", kNotebookScript, "jupyterlab", "--no-browser", "--allow-root",
      // The pods of a machine may share its addresses. In a cluster `port-forward` comes through the pod's loopback.
      where == Where::kCluster ? "--ServerApp.ip=*" : "--ServerApp.ip=$(POD_IP)",
      fmt::format("--ServerApp.port={}", kNotebookPort), "--ServerApp.port_retries=0",
      "--ServerApp.allow_remote_access=True",
      fmt::format("--ServerApp.base_url={}", notebook_path(notebook.metadata.ns, notebook.metadata.name)),
      fmt::format("--ServerApp.root_dir={}", home)};
  const auto idle = idle_arguments(notebook.spec);
  command.insert(command.end(), idle.begin(), idle.end());
  return command;
}

/// What the user wrote comes last, so that it wins.
std::vector<api::EnvVar> notebook_variables(const std::string& home, const std::vector<api::EnvVar>& written) {
  std::vector<api::EnvVar> variables = {pod_address_variable(),
                                        {.name = "HOME", .value = home, .rest = {}},
                                        {.name = "JUPYTER_TOKEN_FILE",
                                         .value = fmt::format("{}/{}", api::kNotebookTokenFolder, kNotebookTokenKey),
                                         .rest = {}},
                                        {.name = "JUPYTER_RUNTIME_DIR", .value = kJupyterRuntimeFolder, .rest = {}},
                                        {.name = "JUPYTER_CONFIG_PATH", .value = kJupyterConfigFolder, .rest = {}}};
  variables.insert(variables.end(), written.begin(), written.end());
  return variables;
}

/// A container with a command of its own keeps it; it finds all that it needs in its variables.
void complete_container(const api::Notebook& notebook, const std::string& home, Where where,
                        api::Container& container) {
  if (container.command.empty() && container.args.empty()) container.command = notebook_command(notebook, home, where);
  container.working_dir = home;
  container.env = notebook_variables(home, container.env);
  if (container.ports.empty()) container.ports = {{.name = "http", .container_port = kNotebookPort, .rest = {}}};
  container.volume_mounts.push_back({.name = api::kNotebookTokenVolume,
                                     .mount_path = api::kNotebookTokenFolder,
                                     .sub_path = {},
                                     .read_only = true,
                                     .rest = {}});
}

/// `token_data` is the token as the Secret has it. JupyterLab reads it once, so a pod with another one is replaced. A
/// token that nobody sees is "".
api::PodTemplateSpec notebook_template(const api::Notebook& notebook, const std::string& token_data, Where where) {
  api::PodTemplateSpec made = notebook.spec.template_;
  if (!token_data.empty()) made.metadata.annotations[kTokenHashAnnotation] = sha256_hex(token_data).substr(0, 16);
  const auto container = api::find_notebook_container(made.spec.containers, &api::Container::name);
  complete_container(notebook, notebook_home(made.spec, *container), where, *container);
  api::Volume token;
  token.name = api::kNotebookTokenVolume;
  token.rest = json::Object{{"secret", json::Object{{"secretName", notebook_secret_name(notebook.metadata.name)}}}};
  made.spec.volumes.push_back(std::move(token));
  made.spec.restart_policy = "Always";
  if (notebook.spec.scheduler && notebook.spec.scheduler->t9k_scheduler) {
    made.metadata.labels[api::kQueueLabel] = notebook.spec.scheduler->t9k_scheduler->queue;
  }
  return made;
}

api::Secret notebook_secret(const PageOwner& owner, const std::string& token) {
  api::Secret secret;
  secret.metadata = page_child_metadata(owner);
  secret.type = "Opaque";
  secret.data = {{kNotebookTokenKey, base64_encode(token)}};
  return secret;
}

/// Makes sure that there is a Secret with a token, and returns the token as the Secret has it; "" if nobody sees it.
std::string converge_token(const PageOwner& owner, const std::string& fresh_token, Where where, bool needs_one,
                           const Snapshot& seen, Plan& plan) {
  if (where == Where::kCluster) {
    // A pod that runs has its token; one that waits may wait for the Secret.
    if (!needs_one) return {};
    Create create = create_child(notebook_secret(owner, fresh_token));
    create.may_exist = true;
    plan.actions.emplace_back(std::move(create));
    return {};
  }
  const auto secrets = seen.children.of<api::Secret>();
  const api::Secret secret = secrets.empty() ? notebook_secret(owner, fresh_token) : *secrets.front();
  if (secrets.empty()) plan.actions.emplace_back(create_child(secret));
  const auto token = secret.data.find(kNotebookTokenKey);
  return token == secret.data.end() ? "" : token->second;
}

// ---- the end of JupyterLab ----

/// JupyterLab ends with exit code 0 when it was idle for too long or when somebody shut it down. The Deployment then
/// starts it again, so its earlier end also counts.
bool has_ended_by_itself(const api::Notebook& notebook, const api::Pod& pod) {
  const auto is_zero = [](const std::optional<api::ContainerStateTerminated>& end) {
    return end && end->exit_code == 0;
  };
  const std::string& own =
      api::find_notebook_container(notebook.spec.template_.spec.containers, &api::Container::name)->name;
  return std::ranges::any_of(pod.status.container_statuses, [&](const api::ContainerStatus& status) {
    return status.name == own && (is_zero(status.state.terminated) || is_zero(status.last_state.terminated));
  });
}

const api::Condition* true_idle_condition(const api::Notebook& notebook) {
  const api::Condition* idle = api::find_condition(notebook.status.conditions, "Idle");
  return idle != nullptr && idle->status == "True" ? idle : nullptr;
}

/// Whether the status says that JupyterLab ended under the present spec; a resumed Notebook has a newer one.
bool is_end_recorded(const api::Notebook& notebook) {
  return true_idle_condition(notebook) != nullptr &&
         notebook.status.observed_generation == notebook.metadata.generation;
}

bool must_stop(const api::Notebook& notebook, const api::Pod* pod) {
  if (is_stopped(notebook)) return false;
  return is_end_recorded(notebook) || (pod != nullptr && has_ended_by_itself(notebook, *pod));
}

std::string end_message(const api::NotebookSpec& spec) {
  const std::string idle = spec.stop_after_idle_seconds
                               ? fmt::format("was idle for {} s, or ", *spec.stop_after_idle_seconds)
                               : std::string();
  return fmt::format("JupyterLab {}was shut down from its menu; set spec.suspend to false to resume it", idle);
}

// ---- status ----

PageState state_of_notebook(const api::Notebook& notebook, const std::string& fault, const api::Pod* pod) {
  if (!fault.empty()) return invalid_state(fault);
  if (must_stop(notebook, pod)) {
    return {.phase = "Suspended", .reason = "Idle", .message = end_message(notebook.spec)};
  }
  if (!is_stopped(notebook)) return state_of_pod(notebook_owner(notebook), pod);
  if (const api::Condition* idle = true_idle_condition(notebook)) {
    return {.phase = "Suspended", .reason = "Idle", .message = idle->message};
  }
  return {.phase = "Suspended", .reason = "Suspended", .message = "suspended; set spec.suspend to false to resume it"};
}

}  // namespace

std::string notebook_secret_name(const std::string& name) {
  return page_child_name(name, kNotebookEnding);
}

std::string notebook_path(const std::string& ns, const std::string& name) {
  return fmt::format("/notebook/{}/{}/", ns, name);
}

Plan plan_notebook(const Snapshot& seen, const std::string& pages_url, const std::string& fresh_token, Where where) {
  const auto notebook = reflect::decode<api::Notebook>(seen.primary);
  // Admission rejects what cannot be decoded. The garbage collector deletes the children of one being deleted.
  if (!notebook || notebook->metadata.deletion_timestamp || notebook->spec.template_.spec.containers.empty()) return {};
  const PageOwner owner = notebook_owner(*notebook);
  const auto pod = page_pod(seen);
  const std::string fault = pod == nullptr ? page_fault(owner, seen.primary) : "";
  const PageState state = state_of_notebook(*notebook, fault, pod.get());
  const bool stop = must_stop(*notebook, pod.get());
  api::PageStatus status = page_status(owner, state, pod.get(), pages_url, seen.now);
  status.conditions.push_back(page_condition(owner, "Idle", state.reason == "Idle", state, seen.now));
  Plan plan;
  plan.status = reflect::encode(status);
  plan.reasons.push_back(state.message);
  // Once the status says why, the spec follows: whoever resumes it then changes something.
  if (stop && is_end_recorded(*notebook)) {
    plan.actions.emplace_back(Update{.child = child_ref(*notebook),
                                     .resource_version = notebook->metadata.resource_version,
                                     .patch = json::Object{{"spec", json::Object{{"suspend", true}}}}});
  }
  if (fault.empty()) {
    const bool suspended = stop || is_stopped(*notebook);
    const bool needs_token = !suspended && (pod == nullptr || pod->status.phase == "Pending");
    const std::string token = converge_token(owner, fresh_token, where, needs_token, seen, plan);
    converge_page(owner, notebook_template(*notebook, token, where), suspended, seen, plan);
  }
  emit_phase_change(owner, state, plan);
  return plan;
}

Controller notebook_controller(std::string pages_url, std::function<std::string()> make_token, Where where) {
  Controller controller{
      .api_version = "tensorstack.dev/v1beta1",
      .kind = "Notebook",
      .children = page_children(api::kNotebookUidLabel),
      .plan = [pages_url = std::move(pages_url), make_token = std::move(make_token), where](const Snapshot& seen) {
        return plan_notebook(seen, pages_url, make_token(), where);
      }};
  if (where != Where::kCluster) {
    controller.children.push_back(watched_kind<api::Secret>(api::kNotebookUidLabel));
  }
  return controller;
}

}  // namespace muster::control
