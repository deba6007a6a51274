#include "api/resource.h"

#include <algorithm>

#include "api/kubernetes/apiextensions_v1.h"
#include "api/kubernetes/apps_v1.h"
#include "api/kubernetes/builtin_defaults.h"
#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/pod_defaults.h"
#include "api/kubernetes/quota_v1.h"
#include "api/kubernetes/records_v1.h"
#include "api/kubernetes/reviews_v1.h"
#include "api/resource_table.h"
#include "api/rules/checks.h"
#include "base/check.h"
#include "base/strings.h"

namespace muster::api {

namespace {

using reflect::type_of;

using Check = void (*)(const json::Document& object, Findings& found);

/// A core/v1 resource with the properties that most of them share.
Resource core(std::string kind, std::string plural, std::vector<std::string> short_names, const reflect::TypeDesc& type,
              Check check = nullptr) {
  Resource r;
  r.version = "v1";
  r.rules = check;
  r.singular = to_lower(kind);
  r.kind = std::move(kind);
  r.plural = std::move(plural);
  r.short_names = std::move(short_names);
  r.verbs = all_verbs();
  r.built_in = true;
  r.type = &type;
  return r;
}

Resource config_maps() {
  Resource r = core("ConfigMap", "configmaps", {"cm"}, type_of<ConfigMap>(), &check_config_map);
  r.change_rules = &check_config_map_change;
  r.printer = config_map_printer();
  return r;
}

Resource events() {
  Resource r = core("Event", "events", {"ev"}, type_of<Event>(), &check_event);
  for (const char* field : {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                            "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
                            "involvedObject.fieldPath", "reason", "reportingComponent"}) {
    r.selectable_fields.push_back({field});
  }
  r.selectable_fields.push_back({"source", "source.component", "reportingComponent"});
  r.selectable_fields.push_back({"type"});
  r.printer = event_printer();
  return r;
}

Resource namespaces() {
  Resource r = core("Namespace", "namespaces", {"ns"}, type_of<Namespace>(), &check_namespace);
  r.scope = Scope::kCluster;
  r.has_status = true;
  // Kubernetes has no way to delete all namespaces at once.
  std::erase(r.verbs, "deletecollection");
  r.name_form = NameForm::kLabel;
  r.selectable_fields = {{"metadata.name"}, {"status.phase"}};
  r.set_defaults = &default_namespace;
  r.start = &start_namespace;
  r.printer = namespace_printer();
  return r;
}

Resource nodes() {
  Resource r = core("Node", "nodes", {"no"}, type_of<Node>(), &check_node);
  r.scope = Scope::kCluster;
  r.has_status = true;
  r.brings_status = true;
  r.selectable_fields = {{"metadata.name"}, {.name = "spec.unschedulable", .when_absent = "false"}};
  r.printer = node_printer();
  return r;
}

Resource persistent_volume_claims() {
  Resource r = core("PersistentVolumeClaim", "persistentvolumeclaims", {"pvc"}, type_of<PersistentVolumeClaim>(),
                    &check_persistent_volume_claim);
  r.has_status = true;
  r.returned_by_delete = true;
  r.set_defaults = &default_persistent_volume_claim;
  r.start = &start_pending;
  r.change_rules = &check_volume_claim_change;
  r.printer = volume_claim_printer();
  return r;
}

Resource persistent_volumes() {
  Resource r =
      core("PersistentVolume", "persistentvolumes", {"pv"}, type_of<PersistentVolume>(), &check_persistent_volume);
  r.scope = Scope::kCluster;
  r.has_status = true;
  r.returned_by_delete = true;
  r.set_defaults = &default_persistent_volume;
  r.start = &start_pending;
  r.change_rules = &check_volume_change;
  r.printer = volume_printer();
  return r;
}

Resource pods() {
  Resource r = core("Pod", "pods", {"po"}, type_of<Pod>(), &check_pod);
  r.categories = {"all"};
  r.has_status = true;
  r.other_subresources = {"log", "exec", "attach", "portforward", "binding"};
  r.returned_by_delete = true;
  r.generation = Generation::kCounted;
  for (const char* field : {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
                            "status.phase", "status.podIP", "status.nominatedNodeName"}) {
    r.selectable_fields.push_back({field});
  }
  r.selectable_fields.push_back({.name = "spec.hostNetwork", .when_absent = "false"});
  r.set_defaults = &default_pod;
  r.start = &start_pod;
  r.change_rules = &check_pod_change;
  r.printer = pod_printer();
  return r;
}

Resource resource_quotas() {
  Resource r = core("ResourceQuota", "resourcequotas", {"quota"}, type_of<ResourceQuota>(), &check_resource_quota);
  r.has_status = true;
  r.start = &start_empty;
  r.change_rules = &check_resource_quota_change;
  r.printer = resource_quota_printer();
  return r;
}

Resource secrets() {
  Resource r = core("Secret", "secrets", {}, type_of<Secret>(), &check_secret);
  r.is_confidential = true;
  r.selectable_fields = {{"metadata.name"}, {"metadata.namespace"}, {"type"}};
  r.set_defaults = &default_secret;
  r.change_rules = &check_secret_change;
  r.printer = secret_printer();
  return r;
}

Resource service_accounts() {
  Resource r = core("ServiceAccount", "serviceaccounts", {"sa"}, type_of<ServiceAccount>());
  r.other_subresources = {"token"};
  r.returned_by_delete = true;
  r.printer = service_account_printer();
  return r;
}

Resource services() {
  Resource r = core("Service", "services", {"svc"}, type_of<Service>(), &check_service);
  r.categories = {"all"};
  r.has_status = true;
  r.returned_by_delete = true;
  r.name_form = NameForm::kDns1035Label;
  r.selectable_fields = {{"metadata.name"}, {"metadata.namespace"}, {"spec.clusterIP"}, {"spec.type"}};
  r.set_defaults = &default_service;
  r.start = &start_service;
  r.printer = service_printer();
  return r;
}

/// A built-in resource outside the core group.
Resource of_group(std::string group, Resource r) {
  r.group = std::move(group);
  return r;
}

Resource leases() {
  Resource r = of_group("coordination.k8s.io", core("Lease", "leases", {}, type_of<Lease>()));
  r.printer = lease_printer();
  return r;
}

Resource priority_classes() {
  Resource r = of_group("scheduling.k8s.io", core("PriorityClass", "priorityclasses", {"pc"}, type_of<PriorityClass>(),
                                                  &check_priority_class));
  r.scope = Scope::kCluster;
  r.generation = Generation::kFirst;
  r.change_rules = &check_priority_class_change;
  r.printer = priority_class_printer();
  return r;
}

Resource deployments() {
  Resource r =
      of_group("apps", core("Deployment", "deployments", {"deploy"}, type_of<Deployment>(), &check_deployment));
  r.categories = {"all"};
  r.has_status = true;
  r.other_subresources = {"scale"};
  r.generation = Generation::kCounted;
  r.set_defaults = &default_deployment;
  r.start = &start_empty;
  r.change_rules = &check_deployment_change;
  r.printer = deployment_printer();
  r.scale = ScalePaths{
      .spec_replicas = ".spec.replicas", .status_replicas = ".status.replicas", .label_selector = ".spec.selector"};
  return r;
}

/// The engine publishes the definitions of its own kinds here; clients can only read them.
Resource custom_resource_definitions() {
  Resource r = of_group("apiextensions.k8s.io", core("CustomResourceDefinition", "customresourcedefinitions",
                                                     {"crd", "crds"}, type_of<CustomResourceDefinition>()));
  r.scope = Scope::kCluster;
  r.has_status = true;
  r.categories = {"api-extensions"};
  r.verbs = {"get", "list", "watch"};
  r.printer = definition_printer();
  return r;
}

Resource metrics(std::string kind, std::string plural, Scope scope, const reflect::TypeDesc& type) {
  Resource r = of_group("metrics.k8s.io", core(std::move(kind), std::move(plural), {}, type));
  r.version = "v1beta1";
  r.scope = scope;
  r.verbs = {"get", "list"};
  r.answered_by = AnsweredBy::kMetrics;
  return r;
}

/// A review of the client itself. It supports only `create`, and the response contains the result.
Resource self_review(std::string group, std::string kind, std::string plural, const reflect::TypeDesc& type) {
  Resource r = of_group(std::move(group), core(std::move(kind), std::move(plural), {}, type));
  r.scope = Scope::kCluster;
  r.verbs = {"create"};
  r.answered_by = AnsweredBy::kReview;
  return r;
}

Resource self_subject_access_reviews() {
  Resource r = self_review("authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews",
                           type_of<SelfSubjectAccessReview>());
  r.rules = &check_self_subject_access_review;
  return r;
}

bool is_named(const Resource& r, std::string_view word) {
  return word == r.plural || word == r.singular || word == to_lower(r.kind) ||
         std::ranges::find(r.short_names, word) != r.short_names.end();
}

}  // namespace

std::vector<FieldCause> Resource::check(const json::Document& object) const {
  Findings found;
  if (rules != nullptr) rules(object, found);
  return std::move(found).take();
}

std::vector<FieldCause> Resource::check_change(const json::Document& before, const json::Document& after) const {
  Findings found;
  if (change_rules != nullptr) change_rules(before, after, found);
  return std::move(found).take();
}

std::string Resource::api_version() const {
  return group.empty() ? version : group + "/" + version;
}

std::string Resource::qualified_name() const {
  return group.empty() ? plural : plural + "." + group;
}

std::vector<std::string> all_verbs() {
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

namespace {

std::vector<Resource> built_in_resources() {
  return {
      config_maps(),
      events(),
      namespaces(),
      nodes(),
      persistent_volume_claims(),
      persistent_volumes(),
      pods(),
      resource_quotas(),
      secrets(),
      service_accounts(),
      services(),
      custom_resource_definitions(),
      deployments(),
      self_review("authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews", type_of<SelfSubjectReview>()),
      self_subject_access_reviews(),
      self_review("authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews",
                  type_of<SelfSubjectRulesReview>()),
      leases(),
      priority_classes(),
      metrics("NodeMetrics", "nodes", Scope::kCluster, type_of<NodeMetrics>()),
      metrics("PodMetrics", "pods", Scope::kNamespaced, type_of<PodMetrics>()),
  };
}

}  // namespace

std::span<const Resource> resources() {
  static const std::vector<Resource> table = [] {
    std::vector<Resource> all = built_in_resources();
    for (Resource& custom : custom_resources()) all.push_back(std::move(custom));
    return all;
  }();
  return table;
}

std::vector<const Resource*> versions_of(const Resource& resource) {
  std::vector<const Resource*> out;
  for (const Resource& other : resources()) {
    if (other.group == resource.group && other.plural == resource.plural) out.push_back(&other);
  }
  return out;
}

const Resource& storage_version(const Resource& resource) {
  if (resource.is_storage) return resource;
  for (const Resource* other : versions_of(resource)) {
    if (other->is_storage) return *other;
  }
  CHECK(false);
  return resource;
}

const Resource* find_resource(std::string_view group, std::string_view version, std::string_view plural) {
  for (const Resource& r : resources()) {
    if (r.group == group && r.version == version && r.plural == plural) return &r;
  }
  return nullptr;
}

const Resource* find_kind(std::string_view api_version, std::string_view kind) {
  for (const Resource& r : resources()) {
    if (r.kind == kind && r.api_version() == api_version) return &r;
  }
  return nullptr;
}

const Resource* find_typed(std::string_view word) {
  const std::string lower = to_lower(word);
  const std::string_view typed = lower;
  for (const Resource& r : resources()) {
    if (is_named(r, typed)) return &r;
  }
  const auto dot = typed.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view name = typed.substr(0, dot);
  const std::string_view group = typed.substr(dot + 1);
  if (group.empty()) return nullptr;
  for (const Resource& r : resources()) {
    // Like kubectl, accept pytorchjobs.kubeflow.org and pytorchjobs.v1.kubeflow.org.
    if (is_named(r, name) && (group == r.group || group == r.version + "." + r.group)) return &r;
  }
  return nullptr;
}

}  // namespace muster::api
