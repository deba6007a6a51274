#include "apiserver/builtin_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "apiserver/status_error.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

void default_member(Document& object, std::string_view key, Document value) {
  if (object.find(key) == nullptr) object.as_object().append(std::string(key), std::move(value));
}

Document* object_member(Document& object, std::string_view key) {
  if (object.is_object() && object.find(key) == nullptr) object.as_object().append(std::string(key), json::Object());
  Document* member = object.find(key);
  return member != nullptr && member->is_object() ? member : nullptr;
}

/// A tag of "latest", or none at all, is pulled every time.
std::string_view pull_policy(const std::string& image) {
  const std::size_t slash = image.rfind('/');
  const std::string_view last = std::string_view(image).substr(slash == std::string::npos ? 0 : slash + 1);
  if (last.find('@') != std::string_view::npos) return "IfNotPresent";
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void default_container(Document& container) {
  if (!container.is_object()) return;
  default_member(container, "resources", json::Object());
  default_member(container, "terminationMessagePath", "/dev/termination-log");
  default_member(container, "terminationMessagePolicy", "File");
  default_member(container, "imagePullPolicy", pull_policy(container.string_at("image")));
  if (Document* ports = container.find("ports"); ports != nullptr && ports->is_array()) {
    for (Document& port : ports->as_array()) {
      if (port.is_object()) default_member(port, "protocol", "TCP");
    }
  }
  // A limit without a request is the request.
  const Document* limits = container.at("resources", "limits");
  if (limits == nullptr || !limits->is_object()) return;
  const Document wanted = *limits;
  if (Document* requests = object_member(*container.find("resources"), "requests")) {
    for (const json::Member& limit : wanted.as_object()) default_member(*requests, limit.key, limit.value);
  }
}

void default_pod(Document& pod) {
  Document* spec = object_member(pod, "spec");
  if (spec == nullptr) return;
  for (const char* list : {"containers", "initContainers"}) {
    Document* containers = spec->find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Document& container : containers->as_array()) default_container(container);
  }
  default_member(*spec, "restartPolicy", "Always");
  default_member(*spec, "terminationGracePeriodSeconds", 30);
  default_member(*spec, "dnsPolicy", "ClusterFirst");
  default_member(*spec, "securityContext", json::Object());
  default_member(*spec, "schedulerName", "default-scheduler");
  default_member(*spec, "enableServiceLinks", true);
  const std::string account = spec->string_at("serviceAccountName");
  if (!account.empty()) default_member(*spec, "serviceAccount", account);
}

void default_deployment(Document& deployment) {
  Document* spec = object_member(deployment, "spec");
  Document* pod_template = spec == nullptr ? nullptr : spec->find("template");
  if (pod_template == nullptr || !pod_template->is_object()) return;
  default_pod(*pod_template);
  Document* strategy = object_member(*spec, "strategy");
  if (strategy == nullptr) return;
  default_member(*strategy, "type", "RollingUpdate");
  if (strategy->string_at("type") != "RollingUpdate") return;
  if (Document* rolling = object_member(*strategy, "rollingUpdate")) {
    default_member(*rolling, "maxUnavailable", "25%");
    default_member(*rolling, "maxSurge", "25%");
  }
}

void default_namespace(Document& object) {
  const std::string name = object.string_at("metadata", "name");
  if (Document* labels = object_member(object["metadata"], "labels")) {
    labels->as_object().set("kubernetes.io/metadata.name", name);
  }
}

void default_service(Document& service) {
  Document* spec = object_member(service, "spec");
  if (spec == nullptr) return;
  default_member(*spec, "type", "ClusterIP");
  default_member(*spec, "sessionAffinity", "None");
  Document* ports = spec->find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  for (Document& port : ports->as_array()) {
    if (!port.is_object()) continue;
    default_member(port, "protocol", "TCP");
    if (const Document* number = port.find("port")) default_member(port, "targetPort", Document(*number));
  }
}

/// stringData is for writing only: it ends up, encoded, in data.
void fold_string_data(Document& secret) {
  default_member(secret, "type", "Opaque");
  const Document* plain = secret.find("stringData");
  if (plain == nullptr || !plain->is_object()) return;
  const Document values = *plain;
  if (Document* encoded = object_member(secret, "data")) {
    for (const json::Member& value : values.as_object()) {
      if (value.value.is_string()) encoded->as_object().set(value.key, base64_encode(value.value.as_string()));
    }
  }
  secret.as_object().erase("stringData");
}

std::optional<Quantity> amount(const Document& container, std::string_view which, std::string_view resource) {
  const Document* value = container.at("resources", which, resource);
  if (value == nullptr) return std::nullopt;
  return Quantity::parse(value->is_string() ? value->as_string() : json::serialize(*value));
}

constexpr std::string_view kPodChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

void erase_changeable(Document& spec) {
  for (const char* key : {"activeDeadlineSeconds", "tolerations"}) spec.as_object().erase(key);
  for (const char* list : {"containers", "initContainers"}) {
    Document* containers = spec.find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Document& container : containers->as_array()) {
      if (container.is_object()) container.as_object().erase("image");
    }
  }
}

}  // namespace

void default_builtin(const api::Resource& resource, Document& object) {
  const std::string name = resource.qualified_name();
  if (name == "pods") default_pod(object);
  if (name == "namespaces") default_namespace(object);
  if (name == "deployments.apps") default_deployment(object);
  if (name == "services") default_service(object);
  if (name == "secrets") fold_string_data(object);
  if (name == "persistentvolumeclaims") {
    if (Document* spec = object_member(object, "spec")) default_member(*spec, "volumeMode", "Filesystem");
  }
}

void start_status(const api::Resource& resource, Document& object) {
  if (!resource.has_status) return;
  const std::string name = resource.qualified_name();
  if (name == "nodes") return;  // a kubelet registers its node together with the status
  object.as_object().erase("status");
  if (name == "pods") {
    object["status"] = json::Object{{"phase", "Pending"}, {"qosClass", qos_class(object)}};
  } else if (name == "namespaces") {
    object["spec"] = json::Object{{"finalizers", json::Array{"kubernetes"}}};
    object["status"] = json::Object{{"phase", "Active"}};
  } else if (name == "services") {
    object["status"] = json::Object{{"loadBalancer", json::Object()}};
  } else if (name == "persistentvolumeclaims" || name == "persistentvolumes") {
    object["status"] = json::Object{{"phase", "Pending"}};
  } else if (name == "deployments.apps" || name == "resourcequotas") {
    object["status"] = json::Object();
  }
}

std::string qos_class(const Document& pod) {
  bool any = false;
  bool all_limited = true;
  for (const char* list : {"containers", "initContainers"}) {
    const Document* containers = pod.at("spec", list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (const Document& container : containers->as_array()) {
      for (const char* resource : {"cpu", "memory"}) {
        const auto request = amount(container, "requests", resource);
        const auto limit = amount(container, "limits", resource);
        any = any || (request && !request->is_zero()) || (limit && !limit->is_zero());
        if (!limit || limit->is_zero() || (request && *request != *limit)) all_limited = false;
      }
    }
  }
  return !any ? "BestEffort" : all_limited ? "Guaranteed" : "Burstable";
}

std::vector<FieldCause> check_builtin_change(const api::Resource& resource, const Document& before,
                                             const Document& after) {
  std::vector<FieldCause> causes;
  const std::string name = resource.qualified_name();
  if (name == "pods" && before.find("spec") != nullptr && after.find("spec") != nullptr) {
    Document old_spec = *before.find("spec");
    Document new_spec = *after.find("spec");
    erase_changeable(old_spec);
    erase_changeable(new_spec);
    if (!(old_spec == new_spec)) causes.push_back(forbidden_value("spec", kPodChange));
  }
  if ((name == "configmaps" || name == "secrets") && before.bool_at("immutable")) {
    if (!after.bool_at("immutable")) {
      causes.push_back(forbidden_value("immutable", "field is immutable when `immutable` is set"));
    }
    for (const char* field : {"data", "binaryData"}) {
      const Document* old_value = before.find(field);
      const Document* new_value = after.find(field);
      const bool same =
          old_value == nullptr || new_value == nullptr ? old_value == new_value : *old_value == *new_value;
      if (!same) causes.push_back(forbidden_value(field, "field is immutable when `immutable` is set"));
    }
  }
  const Document* selector = before.at("spec", "selector");
  const Document* wanted = after.at("spec", "selector");
  if (name == "deployments.apps" && selector != nullptr && wanted != nullptr && !(*selector == *wanted)) {
    causes.push_back(invalid_value("spec.selector", json::serialize(*wanted), "field is immutable"));
  }
  if (name == "secrets" && before.string_at("type") != after.string_at("type")) {
    causes.push_back(invalid_value("type", quote(after.string_at("type")), "field is immutable"));
  }
  return causes;
}

}  // namespace muster::apiserver
