#include "apiserver/builtin_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "api/pod_defaults.h"
#include "apiserver/status_error.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using api::default_member;
using api::object_member;
using json::Document;

void default_deployment(Document& deployment) {
  Document* spec = object_member(deployment, "spec");
  Document* pod_template = spec == nullptr ? nullptr : spec->find("template");
  if (pod_template == nullptr || !pod_template->is_object()) return;
  api::default_pod_template(*pod_template);
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
  const std::string type = spec->string_at("type");
  if (type != "ExternalName") default_member(*spec, "internalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer") default_member(*spec, "externalTrafficPolicy", "Cluster");
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

bool same(const Document* before, const Document* after) {
  return before == nullptr || after == nullptr ? before == after : *before == *after;
}

/// That the member at the path is what it was, or not there as it was not there.
void check_fixed(const Document& before, const Document& after, const std::vector<std::string>& path,
                 std::vector<FieldCause>& causes) {
  const Document* old_value = &before;
  const Document* new_value = &after;
  for (const std::string& key : path) {
    old_value = old_value == nullptr ? nullptr : old_value->find(key);
    new_value = new_value == nullptr ? nullptr : new_value->find(key);
  }
  if (same(old_value, new_value)) return;
  causes.push_back(invalid_value(join(path, "."), new_value == nullptr ? "null" : json::serialize(*new_value),
                                 "field is immutable"));
}

void check_pod_change(const Document& before, const Document& after, std::vector<FieldCause>& causes) {
  if (before.find("spec") == nullptr || after.find("spec") == nullptr) return;
  Document old_spec = *before.find("spec");
  Document new_spec = *after.find("spec");
  erase_changeable(old_spec);
  erase_changeable(new_spec);
  if (!(old_spec == new_spec)) causes.push_back(forbidden_value("spec", kPodChange));
  const std::int64_t old_deadline = before.int_at("spec", "activeDeadlineSeconds");
  const std::int64_t deadline = after.int_at("spec", "activeDeadlineSeconds");
  if (old_deadline != 0 && deadline > old_deadline) {
    causes.push_back(invalid_value("spec.activeDeadlineSeconds", std::to_string(deadline),
                                   "must be less than or equal to previous value"));
  }
}

void check_sealed_change(const Document& before, const Document& after, std::vector<FieldCause>& causes) {
  if (!before.bool_at("immutable")) return;
  if (!after.bool_at("immutable")) {
    causes.push_back(forbidden_value("immutable", "field is immutable when `immutable` is set"));
  }
  for (const char* field : {"data", "binaryData"}) {
    if (same(before.find(field), after.find(field))) continue;
    causes.push_back(forbidden_value(field, "field is immutable when `immutable` is set"));
  }
}

/// A claim can still be given a class and a volume, and grow once it is bound.
void check_claim_change(const Document& before, const Document& after, std::vector<FieldCause>& causes) {
  if (before.find("spec") == nullptr || after.find("spec") == nullptr) return;
  Document old_spec = *before.find("spec");
  Document new_spec = *after.find("spec");
  for (const char* key : {"storageClassName", "volumeName"}) {
    if (old_spec.string_at(key).empty()) new_spec.as_object().erase(key);
  }
  if (before.string_at("status", "phase") == "Bound") {
    for (Document* spec : {&old_spec, &new_spec}) {
      spec->as_object().erase("volumeAttributesClassName");
      if (Document* resources = spec->find("resources")) resources->as_object().erase("requests");
    }
  }
  if (old_spec == new_spec) return;
  causes.push_back(forbidden_value(
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"));
}

/// What a volume is made of: its spec without what says who may use it and how.
Document source_of(const Document& volume) {
  Document source = volume.find("spec") == nullptr ? Document(json::Object()) : *volume.find("spec");
  for (const char* key :
       {"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy",
        "storageClassName", "volumeAttributesClassName", "volumeMode"}) {
    source.as_object().erase(key);
  }
  return source;
}

void check_volume_change(const Document& before, const Document& after, std::vector<FieldCause>& causes) {
  if (!(source_of(before) == source_of(after))) {
    causes.push_back(
        forbidden_value("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  if (before.string_at("spec", "volumeMode") != after.string_at("spec", "volumeMode")) {
    causes.push_back(invalid_value("volumeMode", quote(after.string_at("spec", "volumeMode")), "field is immutable"));
  }
}

}  // namespace

void default_builtin(const api::Resource& resource, Document& object) {
  const std::string name = resource.qualified_name();
  if (name == "pods") api::default_pod(object);
  if (name == "namespaces") default_namespace(object);
  if (name == "deployments.apps") default_deployment(object);
  if (name == "services") default_service(object);
  if (name == "secrets") fold_string_data(object);
  if (name == "persistentvolumeclaims") {
    if (Document* spec = object_member(object, "spec")) default_member(*spec, "volumeMode", "Filesystem");
  }
  if (name == "persistentvolumes") {
    Document* spec = object_member(object, "spec");
    Document* path = spec == nullptr ? nullptr : spec->find("hostPath");
    if (path != nullptr && path->is_object()) default_member(*path, "type", "");
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
  if (name == "pods") check_pod_change(before, after, causes);
  if (name == "configmaps" || name == "secrets") check_sealed_change(before, after, causes);
  if (name == "persistentvolumeclaims") check_claim_change(before, after, causes);
  if (name == "persistentvolumes") check_volume_change(before, after, causes);
  if (name == "deployments.apps" && after.at("spec", "selector") != nullptr) {
    check_fixed(before, after, {"spec", "selector"}, causes);
  }
  if (name == "secrets") check_fixed(before, after, {"type"}, causes);
  if (name == "resourcequotas") check_fixed(before, after, {"spec", "scopes"}, causes);
  if (name == "priorityclasses.scheduling.k8s.io") {
    if (!same(before.find("value"), after.find("value"))) {
      causes.push_back(forbidden_value("value", "may not be changed in an update."));
    }
    check_fixed(before, after, {"preemptionPolicy"}, causes);
  }
  return causes;
}

}  // namespace muster::apiserver
