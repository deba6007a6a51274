#include "web/pages/page_backends.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/owners.h"
#include "api/resource.h"
#include "base/strings.h"
#include "control/notebook/notebook.h"

namespace muster::web {
namespace {

// How Arena labels the Deployments of TensorBoards and their pods.
constexpr const char* kArenaLabel = "role=tensorboard";

client::ListOptions with_label(const char* label) {
  client::ListOptions options;
  options.label_selector = label;
  return options;
}

client::ResourceName resource_of_kind(std::string_view api_version, std::string_view kind) {
  const api::Resource* resource = api::find_kind(api_version, kind);
  CHECK(resource != nullptr);
  return *resource;
}

void ignore_change(const client::Informer::Key&, const json::Document*, const json::Document*) {}

Error unavailable(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

std::string ready_message(const json::Document& object) {
  for (const json::Document& condition : object.array_at("status", "conditions")) {
    if (condition.string_at("type") == "Ready") return condition.string_at("message");
  }
  return "it was just created";
}

/// Returns why the program of a pod does not run, as it said itself; "" while it runs or starts for the first time.
std::string why_it_ended(const json::Document& pod) {
  for (const json::Document& status : pod.array_at("status", "containerStatuses")) {
    if (status.at("state", "running") != nullptr) return "";
    const json::Document* end = status.at("state", "terminated");
    if (end == nullptr) end = status.at("lastState", "terminated");
    if (end == nullptr) continue;
    const std::string message(trim(end->string_at("message")));
    return message.empty() ? fmt::format("it ended with exit code {}", end->int_at("exitCode")) : message;
  }
  return pod.string_at("status", "phase") == "Failed" ? pod.string_at("status", "message") : "";
}

/// Whoever may write Secrets can put any bytes there.
Result<std::string> authorization_with(const json::Document& secret) {
  const auto token = base64_decode(secret.string_at("data", control::kNotebookTokenKey));
  if (token && !token->empty() && net::is_header_value(*token)) return "token " + *token;
  return unavailable(
      fmt::format("data.{} of Secret {} must be the token of JupyterLab, in one line; delete the Secret, and a new one "
                  "is created",
                  control::kNotebookTokenKey, quote(secret.string_at("metadata", "name"))));
}

}  // namespace

PageBackends::PageBackends(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Listener listener)
    : listener_(std::move(listener)),
      notebook_secrets_(loop, rng, client, resource_of_kind("v1", "Secret"), with_label(api::kNotebookUidLabel),
                        &ignore_change),
      deployments_(loop, rng, client, resource_of_kind("apps/v1", "Deployment"), with_label(kArenaLabel),
                   &ignore_change),
      deployment_pods_(loop, rng, client, resource_of_kind("v1", "Pod"), with_label(kArenaLabel),
                       [this](const client::Informer::Key&, const json::Document* before, const json::Document* now) {
                         on_pod(before, now);
                       }) {
  for (const PageKind& kind : page_kinds()) {
    sources_.push_back(
        {.kind = &kind,
         .objects = std::make_unique<client::Informer>(
             loop, rng, client, resource_of_kind("tensorstack.dev/v1beta1", kind.kind), client::ListOptions{},
             [this](const client::Informer::Key&, const json::Document* before, const json::Document* now) {
               if (now == nullptr) listener_.on_deleted(before->string_at("metadata", "uid"));
             }),
         .pods = std::make_unique<client::Informer>(loop, rng, client, resource_of_kind("v1", "Pod"),
                                                    with_label(kind.uid_label),
                                                    [this](const client::Informer::Key&, const json::Document* before,
                                                           const json::Document* now) { on_pod(before, now); })});
  }
}

void PageBackends::start() {
  for (const Source& source : sources_) {
    source.objects->start();
    source.pods->start();
  }
  notebook_secrets_.start();
  deployments_.start();
  deployment_pods_.start();
}

void PageBackends::on_pod(const json::Document* before, const json::Document* now) {
  if (before == nullptr) return;
  const std::string& address = before->string_at("status", "podIP");
  const std::string& uid = before->string_at("metadata", "uid");
  const bool is_same = now != nullptr && now->string_at("metadata", "uid") == uid;
  if (!is_same || now->string_at("status", "podIP") != address) listener_.on_pod_gone(uid);
}

const PageBackends::Source& PageBackends::source_of(const PageKind& kind) const {
  return *std::ranges::find(sources_, &kind, &Source::kind);
}

std::shared_ptr<const json::Document> PageBackends::object_of(const PageName& page) const {
  return source_of(*page.kind).objects->find(page.ns, page.name);
}

Result<PageBackend> PageBackends::find(const PageName& page) const {
  if (const auto object = object_of(page)) return find_object(page, *object);
  if (page.kind == &tensorboard_pages()) {
    if (const auto deployment = deployments_.find(page.ns, page.name)) return find_deployment(page, *deployment);
  }
  return Error{
      .reason = Reason::kNotFound,
      .message = fmt::format("there is no {} {} in namespace {}", page.kind->kind, quote(page.name), quote(page.ns))};
}

Result<PageBackend> PageBackends::find_object(const PageName& page, const json::Document& object) const {
  const std::string& phase = object.string_at("status", "phase");
  const auto pod = source_of(*page.kind).pods->find(page.ns, object.string_at("status", "pod", "reference", "name"));
  PageBackend backend{.port = page.kind->port};
  if (pod != nullptr &&
      pod->string_at("metadata", "labels", page.kind->uid_label) == object.string_at("metadata", "uid")) {
    backend.pod_uid = pod->string_at("metadata", "uid");
    backend.address = pod->string_at("status", "podIP");
  }
  if (phase != "Running" || backend.address.empty()) {
    std::string why = fmt::format("{} {} is {}: {}", page.kind->kind, page.name, phase.empty() ? "Initializing" : phase,
                                  ready_message(object));
    // A TensorBoard without visitors starts again by itself, because this is one.
    const bool comes_back = page.kind == &tensorboard_pages() && !object.bool_at("spec", "suspend");
    if (phase == "Suspended" && !comes_back) why += fmt::format("; `{}` resumes it", link_command(page));
    return unavailable(std::move(why));
  }
  if (page.kind == &notebook_pages()) {
    const auto secret = notebook_secrets_.find(page.ns, control::notebook_secret_name(page.name));
    if (secret == nullptr) return unavailable(fmt::format("Notebook {} has lost its token", page.name));
    TRY_ASSIGN(backend.authorization, authorization_with(*secret));
  }
  return backend;
}

Result<PageBackend> PageBackends::find_deployment(const PageName& page, const json::Document& deployment) const {
  const std::string& uid = deployment.string_at("metadata", "uid");
  PageBackend backend{.port = page.kind->port, .knows_prefix = false};
  std::string ended;
  for (const auto& [key, held] : deployment_pods_.cache()) {
    const json::Document& pod = *held.document;
    if (!api::is_controlled_by(pod, uid)) continue;
    if (std::string why = why_it_ended(pod); !why.empty()) ended = std::move(why);
    if (pod.string_at("status", "phase") != "Running") continue;
    backend.pod_uid = pod.string_at("metadata", "uid");
    backend.address = pod.string_at("status", "podIP");
  }
  if (!ended.empty()) return unavailable(fmt::format("TensorBoard {} has ended: {}", page.name, ended));
  if (backend.address.empty()) return unavailable(fmt::format("TensorBoard {} is starting", page.name));
  return backend;
}

}  // namespace muster::web
