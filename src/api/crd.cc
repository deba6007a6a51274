#include "api/muster/names.h"
#include "api/resource.h"
#include "reflect/reflect.h"

namespace muster::api {

namespace {

json::Array strings(const std::vector<std::string>& from) {
  return {from.begin(), from.end()};
}

json::Document names(const Resource& r) {
  json::Object out = {{"kind", r.kind}, {"listKind", r.kind + "List"}, {"plural", r.plural}, {"singular", r.singular}};
  if (!r.short_names.empty()) out.set("shortNames", strings(r.short_names));
  if (!r.categories.empty()) out.set("categories", strings(r.categories));
  return out;
}

json::Document column(const PrinterColumn& c) {
  json::Object out = {{"name", c.name}, {"type", c.type}, {"jsonPath", c.json_path}};
  if (!c.description.empty()) out.set("description", c.description);
  if (c.priority != 0) out.set("priority", c.priority);
  return out;
}

json::Document subresources(const Resource& r) {
  json::Object out;
  if (r.has_status) out.set("status", json::Object{});
  if (r.scale) {
    out.set("scale", json::Object{{"specReplicasPath", r.scale->spec_replicas},
                                  {"statusReplicasPath", r.scale->status_replicas},
                                  {"labelSelectorPath", r.scale->label_selector}});
  }
  return out;
}

json::Document version(const Resource& r) {
  json::Object out = {{"name", r.version}, {"served", true}, {"storage", r.is_storage}};
  json::Array columns;
  for (const PrinterColumn& c : r.columns) columns.push_back(column(c));
  if (!columns.empty()) out.set("additionalPrinterColumns", std::move(columns));
  json::Document sub = subresources(r);
  if (!sub.as_object().empty()) out.set("subresources", std::move(sub));
  out.set("schema", json::Object{{"openAPIV3Schema", reflect::crd_schema(*r.type)}});
  return out;
}

}  // namespace

json::Document crd(const Resource& resource) {
  json::Array versions;
  for (const Resource* served : versions_of(resource)) versions.push_back(version(*served));
  return json::Object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata",
       json::Object{{"name", resource.qualified_name()},
                    {"labels", json::Object{{kNameLabel, kManagedByMuster}, {kManagedByLabel, kManagedByMuster}}}}},
      {"spec", json::Object{{"group", resource.group},
                            {"names", names(resource)},
                            {"scope", resource.scope == Scope::kCluster ? "Cluster" : "Namespaced"},
                            {"versions", std::move(versions)}}},
  };
}

}  // namespace muster::api
