#include "install/objects/roles.h"

#include <algorithm>
#include <iterator>

#include "api/muster/names.h"
#include "control/runtime/foreign_controllers.h"
#include "control/runtime/kind_choice.h"
#include "install/objects/metadata.h"
#include "jobs/kind.h"

namespace muster::install {

namespace {

constexpr const char* kRbac = "rbac.authorization.k8s.io";
constexpr const char* kRbacVersion = "rbac.authorization.k8s.io/v1";

using Kinds = std::vector<const api::Resource*>;

json::Array array_of(const std::vector<std::string>& items) {
  return {items.begin(), items.end()};
}

json::Document rule_document(const Rule& rule) {
  json::Object out = {{"apiGroups", json::Array{rule.group}}, {"resources", array_of(rule.resources)}};
  if (!rule.names.empty()) out.set("resourceNames", array_of(rule.names));
  out.set("verbs", array_of(rule.verbs));
  return out;
}

// ---- the operator ----

/// What the wishes about kinds leave to the operator.
struct Work {
  Kinds watched;  // all kinds whose objects it reads
  Kinds run;      // those that it runs
  bool has_jobs = false;
  bool has_crons = false;
  bool has_tensorboards = false;  // as kinds of their own, or as children of jobs
  bool has_notebooks = false;
  bool has_config_maps = false;
  bool looks_for_others = false;
};

bool has_object(const jobs::JobKind& kind, jobs::JobObject object) {
  return std::ranges::find(kind.objects, object) != kind.objects.end();
}

Result<Work> work_of(const Settings& settings) {
  TRY_ASSIGN(const control::Wishes wishes, control::parse_wishes(settings.kinds));
  Work work;
  for (const api::Resource* kind : control::operated_kinds()) {
    const auto wish = wishes.find(kind->qualified_name());
    const bool is_off = wish != wishes.end() && wish->second == control::Wish::kOff;
    const bool is_on = wish != wishes.end() && wish->second == control::Wish::kOn;
    if (is_off) continue;
    work.run.push_back(kind);
    work.has_crons |= kind->kind == "Cron";
    work.has_tensorboards |= kind->kind == "TensorBoard";
    work.has_notebooks |= kind->kind == "Notebook";
    if (const auto job = jobs::job_kind_in(*kind)) {
      work.has_jobs = true;
      work.has_tensorboards |= has_object(*job, jobs::JobObject::kTensorBoard);
      work.has_config_maps |= has_object(*job, jobs::JobObject::kConfigMap);
    }
    work.looks_for_others |= !is_on && control::has_known_operator(kind->qualified_name());
  }
  for (const api::Resource* kind : control::operated_kinds()) {
    const bool is_run = std::ranges::find(work.run, kind) != work.run.end();
    const bool is_child = (work.has_crons && jobs::job_kind_in(*kind).has_value()) ||
                          (work.has_tensorboards && kind->kind == "TensorBoard");
    if (is_run || is_child) work.watched.push_back(kind);
  }
  return work;
}

/// Returns what it does with the objects of a kind themselves: a job ends when its time to live is over; Crons create
/// jobs and delete old ones; jobs create TensorBoards; a Notebook whose program has ended is suspended.
std::vector<std::string> verbs_on(const api::Resource& kind, const Work& work) {
  std::vector<std::string> verbs = {"list", "watch"};
  const auto add = [&](std::initializer_list<const char*> more) {
    verbs.insert(verbs.end(), more.begin(), more.end());
  };
  if (jobs::job_kind_in(kind)) {
    if (work.has_crons) add({"get", "create"});
    add({"delete"});
  } else if (kind.kind == "TensorBoard" && work.has_jobs) {
    add({"get", "create", "patch"});
  } else if (kind.kind == "Notebook") {
    add({"patch"});
  }
  return verbs;
}

/// Joins the kinds of a group for which the verbs are the same.
void add_kind_rules(const Kinds& kinds, const std::string& ending,
                    const std::function<std::vector<std::string>(const api::Resource&)>& verbs_for,
                    std::vector<Rule>& rules) {
  std::vector<Rule> joined;
  for (const api::Resource* kind : kinds) {
    const std::vector<std::string> verbs = verbs_for(*kind);
    const auto same = std::ranges::find_if(
        joined, [&](const Rule& rule) { return rule.group == kind->group && rule.verbs == verbs; });
    if (same == joined.end()) {
      joined.push_back({.group = kind->group, .resources = {kind->plural + ending}, .verbs = verbs});
    } else {
      same->resources.push_back(kind->plural + ending);
    }
  }
  rules.insert(rules.end(), joined.begin(), joined.end());
}

std::vector<Rule> job_rules(const Work& work) {
  std::vector<Rule> rules;
  add_kind_rules(
      work.watched, "", [&](const api::Resource& kind) { return verbs_on(kind, work); }, rules);
  add_kind_rules(
      work.run, "/status", [](const api::Resource&) { return std::vector<std::string>{"patch"}; }, rules);
  // Clusters with OwnerReferencesPermissionEnforcement ask for this of whoever sets blockOwnerDeletion.
  add_kind_rules(
      work.run, "/finalizers", [](const api::Resource&) { return std::vector<std::string>{"update"}; }, rules);
  const bool has_pages = work.has_tensorboards || work.has_notebooks;
  if (work.has_jobs) {
    rules.push_back({"", {"pods"}, {"list", "watch", "get", "create", "patch", "delete"}});
    rules.push_back({"", {"services"}, {"list", "watch", "get", "create", "delete"}});
  } else if (has_pages) {
    rules.push_back({"", {"pods"}, {"list", "watch"}});
    rules.push_back({"", {"services"}, {"list", "watch", "get", "create"}});
  }
  if (work.has_config_maps) rules.push_back({"", {"configmaps"}, {"list", "watch", "get", "create", "patch"}});
  if (has_pages) rules.push_back({"apps", {"deployments"}, {"list", "watch", "get", "create", "patch"}});
  rules.push_back({"", {"events"}, {"create", "get", "patch"}});
  if (work.looks_for_others) {
    if (!has_pages) rules.push_back({"apps", {"deployments"}, {"list"}});
    rules.push_back({"coordination.k8s.io", {"leases"}, {"list"}, control::leases_of_known_operators()});
  }
  return rules;
}

// ---- roles and bindings ----

json::Array rule_documents(const std::vector<Rule>& rules) {
  json::Array list;
  for (const Rule& rule : rules) list.push_back(rule_document(rule));
  return list;
}

json::Document role(const char* kind, const std::string& ns, const std::string& name, const std::vector<Rule>& rules) {
  json::Document out = new_object(kRbacVersion, kind, ns, name);
  out["rules"] = rule_documents(rules);
  return out;
}

json::Document binding(const Settings& settings, const std::string& ns, const std::string& name) {
  const bool is_local = !ns.empty();
  json::Document out = new_object(kRbacVersion, is_local ? "RoleBinding" : "ClusterRoleBinding", ns, name);
  out["roleRef"] = json::Object{{"apiGroup", kRbac}, {"kind", is_local ? "Role" : "ClusterRole"}, {"name", name}};
  out["subjects"] = json::Array{json::Object{{"kind", "ServiceAccount"}, {"name", kName}, {"namespace", settings.ns}}};
  return out;
}

/// Adds a role and its binding: in each of the namespaces, or for the whole cluster.
void grant(const Settings& settings, const std::vector<std::string>& namespaces, const std::string& name,
           const std::vector<Rule>& rules, std::vector<json::Document>& out) {
  if (rules.empty()) return;
  for (const std::string& ns : namespaces) {
    out.push_back(role(ns.empty() ? "ClusterRole" : "Role", ns, name, rules));
    out.push_back(binding(settings, ns, name));
  }
}

/// Kubernetes adds a role with this label to its own role of that name.
json::Document user_role(const char* name, const char* adds_to, const std::vector<Rule>& rules) {
  json::Document out = role("ClusterRole", "", name, rules);
  out["metadata"]["labels"][std::string("rbac.authorization.k8s.io/aggregate-to-") + adds_to] = "true";
  return out;
}

struct UserRules {
  std::vector<Rule> view;
  std::vector<Rule> edit;
};

UserRules user_rules() {
  UserRules rules;
  const auto rule_of = [](std::vector<Rule>& list, const std::string& group, std::vector<std::string> verbs) -> Rule& {
    const auto found = std::ranges::find(list, group, &Rule::group);
    if (found != list.end()) return *found;
    return list.emplace_back(Rule{.group = group, .resources = {}, .verbs = std::move(verbs)});
  };
  for (const api::Resource& kind : api::resources()) {
    if (!kind.has_own_crd()) continue;
    std::vector<std::string> resources = {kind.plural};
    if (kind.scale) resources.push_back(kind.plural + "/scale");
    std::ranges::copy(resources,
                      std::back_inserter(rule_of(rules.view, kind.group, {"get", "list", "watch"}).resources));
    if (kind.scope == api::Scope::kCluster) continue;
    Rule& edit = rule_of(rules.edit, kind.group, {"create", "update", "patch", "delete", "deletecollection"});
    std::ranges::copy(resources, std::back_inserter(edit.resources));
  }
  return rules;
}

json::Document account(const Settings& settings) {
  json::Document out = new_object("v1", "ServiceAccount", settings.ns, kName);
  out["automountServiceAccountToken"] = false;  // the operator's pod asks for its token itself
  return out;
}

}  // namespace

Result<Rights> rights_of_operator(const Settings& settings) {
  TRY_ASSIGN(const Work work, work_of(settings));
  Rights rights;
  rights.jobs = job_rules(work);
  if (settings.namespaces.empty()) {
    rights.cluster = {{"apiextensions.k8s.io", {"customresourcedefinitions"}, {"list"}}};
  }
  if (settings.secrets && work.has_notebooks) {
    rights.secrets = {{"", {"secrets"}, {"get", "create"}}};
  }
  rights.lease = {{"coordination.k8s.io", {"leases"}, {"create"}},
                  {"coordination.k8s.io", {"leases"}, {"get", "update"}, {kName}}};
  return rights;
}

Result<std::vector<json::Document>> role_objects(const Settings& settings) {
  TRY_ASSIGN(const Rights rights, rights_of_operator(settings));
  const std::vector<std::string> whole_cluster = {""};
  const std::vector<std::string>& scope = settings.namespaces.empty() ? whole_cluster : settings.namespaces;
  std::vector<Rule> main = rights.cluster;
  main.insert(main.end(), rights.jobs.begin(), rights.jobs.end());
  std::vector<json::Document> out = {account(settings)};
  if (!settings.rbac) return out;
  grant(settings, scope, kName, main, out);
  grant(settings, scope, std::string(kName) + "-secrets", rights.secrets, out);
  grant(settings, {settings.ns}, std::string(kName) + "-lease", rights.lease, out);
  if (settings.user_roles && settings.namespaces.empty()) {
    const UserRules rules = user_rules();
    out.push_back(user_role("muster-view", "view", rules.view));
    out.push_back(user_role("muster-edit", "edit", rules.edit));
  }
  return out;
}

json::Document rules_by_role() {
  const Rights rights = rights_of_operator({}).value_or(Rights{});
  const UserRules users = user_rules();
  return json::Object{{"jobs", rule_documents(rights.jobs)},       {"cluster", rule_documents(rights.cluster)},
                      {"secrets", rule_documents(rights.secrets)}, {"lease", rule_documents(rights.lease)},
                      {"view", rule_documents(users.view)},        {"edit", rule_documents(users.edit)}};
}

}  // namespace muster::install
