#include "apiserver/quota/quota_usage.h"

#include <algorithm>
#include <array>
#include <set>

#include "api/kubernetes/builtin_defaults.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

// These are counted under their plain name as well as under count/NAME.
constexpr std::array<std::string_view, 4> kPlainCounts = {"configmaps", "secrets", "resourcequotas",
                                                          "replicationcontrollers"};
// Without these a pod's usage is unknown, so a quota on one of them makes it mandatory for pods.
constexpr std::array<std::string_view, 6> kMandatory = {"cpu",    "limits.cpu",   "limits.memory",
                                                        "memory", "requests.cpu", "requests.memory"};

/// A request that is not given is as large as the limit, as Kubernetes' defaults make it.
Amounts container_amounts(const Document& container, std::string_view which) {
  Amounts amounts = amounts_of(container.at("resources", which));
  if (which == "requests") {
    for (const auto& [name, limit] : amounts_of(container.at("resources", "limits"))) amounts.try_emplace(name, limit);
  }
  return amounts;
}

void add_all(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) to[name].add(amount);
}

void raise_to(Amounts& to, const Amounts& least) {
  for (const auto& [name, amount] : least) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new && at->second.quantity < amount.quantity) at->second = amount;
  }
}

/// Containers run together; init containers run before them, one after the other; sidecars keep running with all that
/// follow.
Amounts pod_amounts(const Document& pod, std::string_view which) {
  Amounts total;
  for (const Document& container : pod.array_at("spec", "containers")) {
    add_all(total, container_amounts(container, which));
  }
  Amounts staying;
  Amounts peak;
  for (const Document& container : pod.array_at("spec", "initContainers")) {
    Amounts own = container_amounts(container, which);
    if (container.string_at("restartPolicy") == "Always") {
      add_all(total, own);
      add_all(staying, own);
      raise_to(peak, staying);
    } else {
      add_all(own, staying);
      raise_to(peak, own);
    }
  }
  raise_to(total, peak);
  add_all(total, amounts_of(pod.at("spec", "overhead")));
  return total;
}

void add_pod(const Document& pod, Amounts& usage) {
  const std::string& phase = pod.string_at("status", "phase");
  if (phase == "Succeeded" || phase == "Failed") return;
  usage["pods"] = Amount::count(1);
  for (const auto& [name, amount] : pod_amounts(pod, "requests")) {
    usage["requests." + name] = amount;
    if (name.find('/') == std::string::npos) usage[name] = amount;
  }
  for (const auto& [name, amount] : pod_amounts(pod, "limits")) {
    if (name.find('/') == std::string::npos) usage["limits." + name] = amount;
  }
}

void add_claim(const Document& claim, Amounts& usage) {
  usage["persistentvolumeclaims"] = Amount::count(1);
  const std::string& storage_class = claim.string_at("spec", "storageClassName");
  const std::string prefix = storage_class + ".storageclass.storage.k8s.io/";
  if (!storage_class.empty()) usage[prefix + "persistentvolumeclaims"] = Amount::count(1);
  const Amounts requests = amounts_of(claim.at("spec", "resources", "requests"));
  const auto storage = requests.find("storage");
  if (storage == requests.end()) return;
  usage["requests.storage"] = storage->second;
  if (!storage_class.empty()) usage[prefix + "requests.storage"] = storage->second;
}

void add_service(const Document& service, Amounts& usage) {
  usage["services"] = Amount::count(1);
  const std::string& type = service.string_at("spec", "type");
  if (type == "LoadBalancer") usage["services.loadbalancers"] = Amount::count(1);
  if (type == "NodePort" || type == "LoadBalancer") {
    const auto ports = static_cast<std::int64_t>(service.array_at("spec", "ports").size());
    usage["services.nodeports"] = Amount::count(ports);
  }
}

bool in_scope(std::string_view scope, const Document& pod) {
  const Document* deadline = pod.at("spec", "activeDeadlineSeconds");
  if (scope == "Terminating") return deadline != nullptr;
  if (scope == "NotTerminating") return deadline == nullptr;
  if (scope == "BestEffort") return api::qos_class(pod) == "BestEffort";
  if (scope == "NotBestEffort") return api::qos_class(pod) != "BestEffort";
  if (scope == "PriorityClass") return !pod.string_at("spec", "priorityClassName").empty();
  return false;
}

bool matches_expression(const Document& expression, const Document& pod) {
  const std::string& scope = expression.string_at("scopeName");
  const std::string& op = expression.string_at("operator");
  if (scope != "PriorityClass" || op == "Exists") return in_scope(scope, pod);
  const std::string& name = pod.string_at("spec", "priorityClassName");
  if (op == "DoesNotExist") return name.empty();
  const bool listed =
      std::ranges::any_of(expression.array_at("values"), [&](const Document& value) { return value == name; });
  return op == "NotIn" ? !listed : listed;
}

}  // namespace

void Amount::add(const Amount& other) {
  if (quantity.is_zero()) form = other.form;
  quantity = quantity + other.quantity;
}

void Amount::subtract(const Amount& other) {
  quantity = quantity - other.quantity;
}

Amounts amounts_of(const Document* list) {
  Amounts amounts;
  if (list == nullptr || !list->is_object()) return amounts;
  for (const json::Member& item : list->as_object()) {
    const std::string text = item.value.is_string() ? item.value.as_string() : json::serialize(item.value);
    if (const auto quantity = Quantity::parse(text)) amounts[item.key] = {*quantity, Quantity::form_of(text)};
  }
  return amounts;
}

std::string amounts_text(const Amounts& amounts, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    const auto found = amounts.find(name);
    parts.push_back(name + "=" + (found == amounts.end() ? "0" : found->second.text()));
  }
  return join(parts, ",");
}

bool counts_by_number(std::string_view resource) {
  return resource != "pods" && resource != "persistentvolumeclaims" && resource != "services";
}

Amounts quota_usage(const std::string& resource, const Document& object) {
  Amounts usage;
  usage["count/" + resource] = Amount::count(1);
  if (std::ranges::find(kPlainCounts, resource) != kPlainCounts.end()) usage[resource] = Amount::count(1);
  if (resource == "pods") add_pod(object, usage);
  if (resource == "persistentvolumeclaims") add_claim(object, usage);
  if (resource == "services") add_service(object, usage);
  return usage;
}

bool quota_covers(const Document& quota, std::string_view resource, const Document& object) {
  const json::Array& scopes = quota.array_at("spec", "scopes");
  const json::Array& selector = quota.array_at("spec", "scopeSelector", "matchExpressions");
  if (scopes.empty() && selector.empty()) return true;
  if (resource != "pods") return false;
  for (const Document& scope : scopes) {
    if (!scope.is_string() || !in_scope(scope.as_string(), object)) return false;
  }
  return std::ranges::all_of(selector,
                             [&](const Document& expression) { return matches_expression(expression, object); });
}

std::string missing_for_quota(const Amounts& hard, const Document& pod) {
  std::map<std::string, std::set<std::string>> missing;
  for (const char* kind : {"containers", "initContainers"}) {
    for (const Document& container : pod.array_at("spec", kind)) {
      const Amounts requests = container_amounts(container, "requests");
      const Amounts limits = container_amounts(container, "limits");
      for (const std::string_view name : kMandatory) {
        if (!hard.contains(std::string(name))) continue;
        const bool limit = name.starts_with("limits.");
        const std::string of(name.substr(name.find('.') == std::string_view::npos ? 0 : name.find('.') + 1));
        if (!(limit ? limits : requests).contains(of)) {
          missing[std::string(name)].insert(container.string_at("name"));
        }
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing) {
    parts.push_back(name + " for: " + join(std::vector<std::string>(containers.begin(), containers.end()), ","));
  }
  return join(parts, "; ");
}

}  // namespace muster::apiserver
