#include "apiserver/access/authorize.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

const Principal kAccount = service_account({.ns = "lab", .name = "builder", .uid = "u"});

struct AccessCase {
  Action action;
  bool stranger;
  bool account;
};

Action action_on(std::string verb, std::string resource, std::string ns, std::string name = "") {
  Action action{.verb = std::move(verb), .ns = std::move(ns), .name = std::move(name)};
  const std::size_t slash = resource.find('/');
  if (slash != std::string::npos) action.subresource = resource.substr(slash + 1);
  resource = resource.substr(0, slash);
  const std::size_t dot = resource.find('.');
  if (dot != std::string::npos) action.group = resource.substr(dot + 1);
  action.resource = resource.substr(0, dot);
  return action;
}

std::string action_text(const Action& a) {
  return a.verb + " " + a.path + a.resource + "." + a.group + "/" + a.subresource + " in " + a.ns + " named " + a.name;
}

TEST(Authorize, TheOwnerMayDoEverythingAnAccountItsNamespaceAndAStrangerNothing) {
  const AccessCase cases[] = {
      // Its own namespace.
      {action_on("get", "pods", "lab", "p"), false, true},
      {action_on("list", "pods", "lab"), false, true},
      {action_on("watch", "pods", "lab"), false, true},
      {action_on("create", "pods", "lab"), false, true},
      {action_on("patch", "deployments.apps", "lab", "d"), false, true},
      {action_on("deletecollection", "pytorchjobs.kubeflow.org", "lab"), false, true},
      {action_on("update", "pytorchjobs.kubeflow.org/status", "lab", "j"), false, true},
      {action_on("get", "pods/log", "lab", "p"), false, true},
      {action_on("create", "pods/exec", "lab", "p"), false, true},
      {action_on("get", "secrets", "lab", "s"), false, true},
      {action_on("get", "pods.metrics.k8s.io", "lab", "p"), false, true},
      {action_on("get", "pods.muster.dev/metrics", "lab", "p"), false, true},
      {action_on("get", "namespaces", "lab", "lab"), false, true},
      // The node's and the scheduler's part of it.
      {action_on("get", "pods/status", "lab", "p"), false, true},
      {action_on("update", "pods/status", "lab", "p"), false, false},
      {action_on("patch", "pods/status", "lab", "p"), false, false},
      {action_on("*", "pods/status", "lab", "p"), false, false},
      {action_on("create", "pods/binding", "lab", "p"), false, false},
      // Tokens of its own only.
      {action_on("create", "serviceaccounts/token", "lab", "builder"), false, true},
      {action_on("create", "serviceaccounts/token", "lab", "default"), false, false},
      {action_on("create", "serviceaccounts/token", "lab"), false, false},
      {action_on("create", "serviceaccounts/token", "other", "builder"), false, false},
      // Everything else that has objects.
      {action_on("get", "pods", "other", "p"), false, false},
      {action_on("list", "pods", ""), false, false},
      {action_on("watch", "pods", ""), false, false},
      {action_on("get", "pods", "lab-2", "p"), false, false},
      {action_on("get", "pods/log", "other", "p"), false, false},
      {action_on("get", "namespaces", "other", "other"), false, false},
      {action_on("list", "namespaces", ""), false, false},
      {action_on("delete", "namespaces", "lab", "lab"), false, false},
      {action_on("update", "namespaces/finalize", "lab", "lab"), false, false},
      {action_on("list", "nodes", ""), false, false},
      {action_on("get", "nodes", "lab", "n"), false, false},  // as a review may ask
      {action_on("patch", "nodes/status", "", "n"), false, false},
      {action_on("get", "persistentvolumes", "", "v"), false, false},
      {action_on("create", "persistentvolumes", "lab"), false, false},
      {action_on("list", "customresourcedefinitions.apiextensions.k8s.io", ""), false, false},
      {action_on("create", "priorityclasses.scheduling.k8s.io", ""), false, false},
      {action_on("create", "backups.muster.dev", ""), false, false},
      {action_on("*", "*.*", ""), false, false},
      // Questions about oneself.
      {action_on("create", "selfsubjectreviews.authentication.k8s.io", ""), false, true},
      {action_on("create", "selfsubjectaccessreviews.authorization.k8s.io", ""), false, true},
      {action_on("create", "selfsubjectrulesreviews.authorization.k8s.io", ""), false, true},
      // Paths.
      {action_at("GET", "/healthz"), true, true},
      {action_at("HEAD", "/livez?verbose"), true, true},
      {action_at("GET", "/readyz"), true, true},
      {action_at("POST", "/healthz"), false, false},
      {action_at("GET", "/healthz/../metrics"), false, false},
      {action_at("GET", "/version"), false, true},
      {action_at("GET", "/api"), false, true},
      {action_at("GET", "/api/v1"), false, true},
      {action_at("GET", "/apis/apps/v1"), false, true},
      {action_at("GET", "/openapi/v3"), false, true},
      {action_at("DELETE", "/apis"), false, false},
      {action_at("GET", "/apiserver"), false, false},
      {action_at("GET", "/metrics"), false, false},
      {action_at("GET", "/"), false, false},
  };
  for (const AccessCase& one : cases) {
    EXPECT_TRUE(may(owner(), one.action)) << action_text(one.action);
    EXPECT_EQ(may(kAccount, one.action), one.account) << action_text(one.action);
    EXPECT_EQ(may(Principal(), one.action), one.stranger) << action_text(one.action);
  }
}

std::string refusal_of(const Action& action) {
  const auto checked = check_access(kAccount, action);
  return checked ? "" : checked.error().message;
}

TEST(Authorize, RefusalsAreInKubernetesWords) {
  EXPECT_EQ(refusal_of(action_on("list", "pods", "")),
            "pods is forbidden: User \"system:serviceaccount:lab:builder\" cannot list resource \"pods\" in API group "
            "\"\" at the cluster scope");
  EXPECT_EQ(refusal_of(action_on("get", "deployments.apps/scale", "other", "web")),
            "deployments.apps \"web\" is forbidden: User \"system:serviceaccount:lab:builder\" cannot get resource "
            "\"deployments/scale\" in API group \"apps\" in the namespace \"other\"");
  EXPECT_EQ(refusal_of(action_at("GET", "/metrics?x")),
            "forbidden: User \"system:serviceaccount:lab:builder\" cannot get path \"/metrics\"");
  EXPECT_EQ(refusal_of(action_on("get", "pods", "lab", "p")), "");
  const auto refused = check_access(kAccount, action_on("get", "deployments.apps", "other", "web"));
  EXPECT_EQ(refused.error().reason, Reason::kForbidden);
  EXPECT_EQ(refused.error().group, "apps");
  EXPECT_EQ(refused.error().kind, "deployments");
  EXPECT_EQ(refused.error().name, "web");
}

}  // namespace
}  // namespace muster::apiserver
