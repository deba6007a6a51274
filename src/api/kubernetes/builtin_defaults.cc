#include "api/kubernetes/builtin_defaults.h"

#include <optional>

#include "api/kubernetes/pod_defaults.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;

std::optional<Quantity> amount(const Document& container, std::string_view which, std::string_view resource) {
  const Document* value = container.at("resources", which, resource);
  if (value == nullptr) return std::nullopt;
  return Quantity::parse(value->is_string() ? value->as_string() : json::serialize(*value));
}

}  // namespace

void default_deployment(Document& deployment) {
  Document* spec = object_member(deployment, "spec");
  Document* pod_template = spec == nullptr ? nullptr : spec->find("template");
  if (pod_template == nullptr || !pod_template->is_object()) return;
  default_pod_template(*pod_template);
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

/// stringData is write-only: its values are encoded and moved to data.
void default_secret(Document& secret) {
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

void default_persistent_volume_claim(Document& claim) {
  if (Document* spec = object_member(claim, "spec")) default_member(*spec, "volumeMode", "Filesystem");
}

void default_persistent_volume(Document& volume) {
  Document* spec = object_member(volume, "spec");
  Document* path = spec == nullptr ? nullptr : spec->find("hostPath");
  if (path != nullptr && path->is_object()) default_member(*path, "type", "");
}

void start_empty(Document& object) {
  object["status"] = json::Object();
}

void start_pending(Document& object) {
  object["status"] = json::Object{{"phase", "Pending"}};
}

void start_namespace(Document& ns) {
  ns["spec"] = json::Object{{"finalizers", json::Array{"kubernetes"}}};
  ns["status"] = json::Object{{"phase", "Active"}};
}

void start_pod(Document& pod) {
  pod["status"] = json::Object{{"phase", "Pending"}, {"qosClass", qos_class(pod)}};
}

void start_service(Document& service) {
  service["status"] = json::Object{{"loadBalancer", json::Object()}};
}

std::string qos_class(const Document& pod) {
  bool any = false;
  bool all_limited = true;
  for (const char* list : {"containers", "initContainers"}) {
    for (const Document& container : pod.array_at("spec", list)) {
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

}  // namespace muster::api
