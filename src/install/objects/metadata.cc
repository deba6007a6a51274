#include "install/objects/metadata.h"

#include "api/muster/names.h"

namespace muster::install {

std::string version() {
  return MUSTER_VERSION;
}

std::string default_image() {
  return "muster.dev/muster:" + version();
}

json::Object pod_selector() {
  return {{api::kNameLabel, api::kManagedByMuster}, {"app.kubernetes.io/component", "operator"}};
}

json::Document new_object(std::string_view api_version, std::string_view kind, const std::string& ns,
                          const std::string& name) {
  json::Object labels = pod_selector();
  labels.set("app.kubernetes.io/version", version());
  labels.set(api::kManagedByLabel, api::kManagedByMuster);
  json::Object metadata = {{"name", name}};
  if (!ns.empty()) metadata.set("namespace", ns);
  metadata.set("labels", std::move(labels));
  return json::Object{{"apiVersion", api_version}, {"kind", kind}, {"metadata", std::move(metadata)}};
}

bool is_ours(const json::Document& object) {
  const std::string& manager = object.string_at("metadata", "labels", api::kManagedByLabel);
  // Helm writes its own name into this label of all that it installs.
  return manager == api::kManagedByMuster ||
         (manager == "Helm" && object.string_at("metadata", "labels", api::kNameLabel) == api::kManagedByMuster);
}

}  // namespace muster::install
