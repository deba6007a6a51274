#include "install/objects/installation.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "control/runtime/kind_choice.h"
#include "install/objects/metadata.h"
#include "install/objects/roles.h"
#include "install/objects/workload.h"
#include "json/yaml.h"

namespace muster::install {

namespace {

constexpr int kMostReplicas = 10;

json::Document namespace_object(const Settings& settings) {
  json::Document out = new_object("v1", "Namespace", "", settings.ns);
  out["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "restricted";
  return out;
}

/// The CRD of a kind that is switched off may be brought by somebody else, with other fields. TensorBoards are children
/// of jobs.
bool is_wanted(const api::Resource& kind, const control::Wishes& wishes) {
  const auto wish = wishes.find(kind.qualified_name());
  return wish == wishes.end() || wish->second != control::Wish::kOff || kind.kind == "TensorBoard";
}

void add_crds(const Settings& settings, std::vector<json::Document>& out) {
  const control::Wishes wishes = control::parse_wishes(settings.kinds).value_or(control::Wishes{});
  for (const api::Resource& kind : api::resources()) {
    if (kind.has_own_crd() && is_wanted(kind, wishes)) out.push_back(api::crd(kind));
  }
}

void check_names(const char* flag, const std::vector<std::string>& names, std::vector<std::string>& faults) {
  for (const std::string& name : names) {
    if (!is_dns_label(name)) faults.push_back(fmt::format("{}: {} is not a name of a namespace", flag, quote(name)));
  }
}

void check_quantity(const char* flag, const std::string& text, std::vector<std::string>& faults) {
  if (!Quantity::parse(text)) {
    faults.push_back(fmt::format("{}: must be a quantity such as 100m or 1Gi, got {}", flag, quote(text)));
  }
}

json::Document kustomization() {
  json::Array resources;
  for (const api::Resource& kind : api::resources()) {
    if (kind.has_own_crd()) resources.push_back("crds/" + kind.qualified_name() + ".yaml");
  }
  resources.push_back("operator.yaml");
  return json::Object{{"apiVersion", "kustomize.config.k8s.io/v1beta1"},
                      {"kind", "Kustomization"},
                      {"resources", std::move(resources)}};
}

json::Document chart() {
  return json::Object{
      {"apiVersion", "v2"},
      {"name", "muster"},
      {"description", "Training jobs of Kubeflow, TensorStack and KubeDL: the kinds and their operator."},
      {"type", "application"},
      {"version", version()},
      {"appVersion", version()},
      {"kubeVersion", fmt::format(">=1.{}.0-0", kOldestMinor)}};
}

}  // namespace

Status check_settings(const Settings& settings) {
  std::vector<std::string> faults;
  check_names("--namespace", {settings.ns}, faults);
  check_names("--namespaces", settings.namespaces, faults);
  if (const auto wishes = control::parse_wishes(settings.kinds); !wishes) faults.push_back(wishes.error().message);
  if (settings.image.empty()) faults.push_back("--image: must name an image");
  if (settings.replicas < 1 || settings.replicas > kMostReplicas) {
    faults.push_back(fmt::format("--replicas: must be 1 to {}, got {}", kMostReplicas, settings.replicas));
  }
  check_quantity("--cpu", settings.cpu, faults);
  check_quantity("--memory", settings.memory, faults);
  check_quantity("--memory-limit", settings.memory_limit, faults);
  if (faults.empty()) return ok();
  return Error{.reason = Reason::kBadRequest, .message = join(faults, "; ")};
}

std::vector<json::Document> installation(const Settings& settings) {
  std::vector<json::Document> out;
  // A namespace whose jobs are run belongs to a team, who decides about its labels.
  if (std::ranges::find(settings.namespaces, settings.ns) == settings.namespaces.end()) {
    out.push_back(namespace_object(settings));
  }
  if (settings.crds) add_crds(settings, out);
  const auto add = [&](std::vector<json::Document> more) {
    for (json::Document& object : more) out.push_back(std::move(object));
  };
  add(role_objects(settings).value_or(std::vector<json::Document>{}));
  add(workload_objects(settings));
  return out;
}

std::string export_text(const std::vector<json::Document>& objects) {
  std::vector<std::string> texts;
  for (const json::Document& object : objects) texts.push_back(json::to_yaml(object));
  return join(texts, "---\n");
}

std::map<std::string, std::string> deploy_files() {
  Settings settings;
  settings.crds = false;
  return {{"kustomization.yaml", json::to_yaml(kustomization())},
          {"operator.yaml", export_text(installation(settings))},
          {"helm/muster/Chart.yaml", json::to_yaml(chart())},
          {"helm/muster/files/rules.yaml", json::to_yaml(rules_by_role())}};
}

}  // namespace muster::install
