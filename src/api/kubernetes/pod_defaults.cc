#include "api/kubernetes/pod_defaults.h"

#include <string>

namespace muster::api {
namespace {

using json::Document;

constexpr int kFileMode = 0644;

/// Calls `change` with every object in the list `key`.
void each_item(Document& object, std::string_view key, const auto& change) {
  Document* list = object.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (Document& item : list->as_array()) {
    if (item.is_object()) change(item);
  }
}

/// Calls `change` with the member `key` if it is an object.
void with_member(Document& object, std::string_view key, const auto& change) {
  Document* member = object.find(key);
  if (member != nullptr && member->is_object()) change(*member);
}

/// An image with the tag "latest", or with neither tag nor digest, is pulled every time.
std::string_view pull_policy(const std::string& image) {
  const std::size_t slash = image.rfind('/');
  const std::string_view last = std::string_view(image).substr(slash == std::string::npos ? 0 : slash + 1);
  if (last.find('@') != std::string_view::npos) return "IfNotPresent";
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void default_handler(Document& handler) {
  with_member(handler, "httpGet", [](Document& get) {
    default_member(get, "path", "/");
    default_member(get, "scheme", "HTTP");
  });
  with_member(handler, "grpc", [](Document& call) { default_member(call, "service", ""); });
}

void default_probe(Document& probe) {
  default_handler(probe);
  const auto when_zero = [&](const char* key, int value) {
    if (const Document* given = probe.find(key); given == nullptr || *given == Document(0)) {
      probe.as_object().set(key, value);
    }
  };
  when_zero("timeoutSeconds", 1);
  when_zero("periodSeconds", 10);
  when_zero("successThreshold", 1);
  when_zero("failureThreshold", 3);
}

/// Sets the defaults of the source of a value, which belongs to a variable or to a file in a volume.
void default_reference(Document& holder) {
  with_member(holder, "fieldRef", [](Document& ref) { default_member(ref, "apiVersion", "v1"); });
  with_member(holder, "resourceFieldRef", [](Document& ref) { default_member(ref, "divisor", "0"); });
}

void default_container(Document& container) {
  default_member(container, "resources", json::Object());
  default_member(container, "terminationMessagePath", "/dev/termination-log");
  default_member(container, "terminationMessagePolicy", "File");
  default_member(container, "imagePullPolicy", pull_policy(container.string_at("image")));
  each_item(container, "ports", [](Document& port) { default_member(port, "protocol", "TCP"); });
  each_item(container, "env", [](Document& variable) { with_member(variable, "valueFrom", &default_reference); });
  for (const char* key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    with_member(container, key, &default_probe);
  }
  with_member(container, "lifecycle", [](Document& lifecycle) {
    for (const char* moment : {"postStart", "preStop"}) with_member(lifecycle, moment, &default_handler);
  });
}

void default_volume(Document& volume) {
  if (volume.as_object().size() == 1 && volume.find("name") != nullptr) {
    default_member(volume, "emptyDir", json::Object());
  }
  for (const char* key : {"secret", "configMap", "downwardAPI", "projected"}) {
    with_member(volume, key, [](Document& files) {
      default_member(files, "defaultMode", kFileMode);
      each_item(files, "items", &default_reference);
    });
  }
  with_member(volume, "hostPath", [](Document& path) { default_member(path, "type", ""); });
}

void default_spec(Document& spec) {
  for (const char* list : {"containers", "initContainers"}) each_item(spec, list, &default_container);
  each_item(spec, "volumes", &default_volume);
  default_member(spec, "restartPolicy", "Always");
  default_member(spec, "terminationGracePeriodSeconds", 30);
  default_member(spec, "dnsPolicy", "ClusterFirst");
  default_member(spec, "securityContext", json::Object());
  default_member(spec, "schedulerName", "default-scheduler");
  const std::string account = spec.string_at("serviceAccountName");
  if (!account.empty()) default_member(spec, "serviceAccount", account);
}

/// A resource that has a limit but no request gets a request equal to the limit.
void default_requests(Document& container) {
  const Document* limits = container.at("resources", "limits");
  if (limits == nullptr || !limits->is_object()) return;
  const Document wanted = *limits;
  if (Document* requests = object_member(*container.find("resources"), "requests")) {
    for (const json::Member& limit : wanted.as_object()) default_member(*requests, limit.key, limit.value);
  }
}

/// A pod on the host's network listens on the host's ports, so each container port is also a host port.
void default_host_port(Document& port) {
  if (port.int_at("hostPort") != 0 || port.find("containerPort") == nullptr) return;
  port.as_object().set("hostPort", Document(*port.find("containerPort")));
}

}  // namespace

void default_member(Document& object, std::string_view key, Document value) {
  if (object.find(key) == nullptr) object.as_object().append(std::string(key), std::move(value));
}

Document* object_member(Document& object, std::string_view key) {
  if (object.is_object() && object.find(key) == nullptr) object.as_object().append(std::string(key), json::Object());
  Document* member = object.find(key);
  return member != nullptr && member->is_object() ? member : nullptr;
}

void default_pod(Document& pod) {
  Document* spec = object_member(pod, "spec");
  if (spec == nullptr) return;
  default_spec(*spec);
  default_member(*spec, "enableServiceLinks", true);
  const bool host_network = spec->bool_at("hostNetwork");
  for (const char* list : {"containers", "initContainers"}) {
    each_item(*spec, list, &default_requests);
    if (host_network)
      each_item(*spec, list, [](Document& container) { each_item(container, "ports", &default_host_port); });
  }
  // Kubernetes once allowed negative grace periods and now treats them as one second.
  if (spec->int_at("terminationGracePeriodSeconds") < 0) spec->as_object().set("terminationGracePeriodSeconds", 1);
}

void default_pod_template(Document& pod_template) {
  if (Document* spec = object_member(pod_template, "spec")) default_spec(*spec);
}

}  // namespace muster::api
