// Tests of the commands against a fake server. tests/operator/test_install.py runs them against a real one.
#include "install/commands/commands.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "api/resource.h"
#include "install/objects/installation.h"
#include "install/objects/metadata.h"
#include "testing/command_run.h"

namespace muster::install {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
const std::string kDeployment = "/apis/apps/v1/namespaces/muster-system/deployments/muster-operator";

/// A cluster with the CRDs as they are once they are served.
struct ClusterRun : cli::CommandRun {
  ClusterRun() {
    server.put("/version", json::Object{{"gitVersion", "v1.33.4"}});
    for (const api::Resource& kind : api::resources()) {
      if (kind.has_own_crd()) server.put(kCrds + kind.qualified_name(), established(api::crd(kind)));
    }
  }

  static json::Document established(json::Document crd) {
    crd["status"]["conditions"] = json::Array{json::Object{{"type", "Established"}, {"status", "True"}}};
    return crd;
  }

  std::vector<std::string> writes() const {
    std::vector<std::string> found;
    std::ranges::copy_if(server.requests, std::back_inserter(found),
                         [](const std::string& r) { return !r.starts_with("GET"); });
    return found;
  }
};

json::Document available(const json::Document& deployment) {
  json::Document out = deployment;
  out["status"] = json::Object{{"observedGeneration", 1}, {"updatedReplicas", 1}, {"availableReplicas", 1}};
  return out;
}

TEST(Install, AppliesAllObjectsAndWaitsForTheOperator) {
  ClusterRun cli;
  EXPECT_EQ(
      cli.run(make_install(), {}, {[&] { cli.server.put(kDeployment, available(*cli.server.find(kDeployment))); }}), 0)
      << cli.err;
  EXPECT_THAT(cli.out, StartsWith("namespace/muster-system created\n"));
  EXPECT_THAT(cli.out, HasSubstr("customresourcedefinition/pytorchjobs.kubeflow.org unchanged\n"));
  EXPECT_THAT(cli.out, HasSubstr("deployment/muster-operator created\nMuster " + version() +
                                 " is installed in muster-system and its operator runs. To check it: muster check\n"));
  EXPECT_THAT(cli.writes().front(), HasSubstr("fieldManager=muster-install&fieldValidation=Strict"));
}

TEST(Install, SaysWhyTheOperatorDoesNotRun) {
  ClusterRun cli;
  const auto fail = [&] {
    json::Document pod = cli::make_object("v1", "Pod", "muster-operator-x");
    pod["metadata"]["labels"] = pod_selector();
    pod["status"]["phase"] = "Pending";
    pod["status"]["containerStatuses"] = json::Array{
        json::Object{{"name", "operator"},
                     {"state", json::Object{{"waiting", json::Object{{"reason", "ImagePullBackOff"},
                                                                     {"message", "Back-off pulling image"}}}}}}};
    cli.server.put("/api/v1/namespaces/muster-system/pods/muster-operator-x", pod);
  };
  EXPECT_EQ(cli.run(make_install(), {"--timeout", "10s"}, {fail}), 124);
  EXPECT_THAT(cli.err, HasSubstr("error: the operator is not available after 10s\n"));
}

TEST(Install, ADryRunIsTheServersAndWaitsForNothing) {
  ClusterRun cli;
  EXPECT_EQ(cli.run(make_install(), {"--dry-run"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("deployment/muster-operator created (server dry run)\n"));
  EXPECT_EQ(cli.server.find(kDeployment), nullptr);
  for (const std::string& write : cli.writes()) EXPECT_THAT(write, HasSubstr("dryRun=All"));
}

TEST(Install, ExportsWithoutAServer) {
  cli::CommandRun cli;
  EXPECT_EQ(cli.run(make_install(), {"--export", "--replicas", "2"}), 0) << cli.err;
  Settings settings;
  settings.replicas = 2;
  EXPECT_EQ(cli.out, export_text(installation(settings)));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Install, LeavesForeignCrdsAndWritesNothingElseAboutThem) {
  ClusterRun cli;
  json::Document foreign = *cli.server.find(kCrds + "tfjobs.kubeflow.org");
  foreign["metadata"].as_object().erase("labels");
  cli.server.put(kCrds + "tfjobs.kubeflow.org", foreign);
  EXPECT_EQ(cli.run(make_install(), {"--wait=false"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("customresourcedefinition/tfjobs.kubeflow.org left alone: belongs to somebody else"));
  EXPECT_THAT(cli.writes(), Not(Contains(HasSubstr("tfjobs.kubeflow.org"))));
}

TEST(Install, ChangesNothingIfOneObjectIsSomebodyElses) {
  ClusterRun cli;
  cli.server.put(kDeployment, cli::make_object("apps/v1", "Deployment", "muster-operator"));
  EXPECT_EQ(cli.run(make_install(), {}), 4);
  EXPECT_THAT(cli.err, HasSubstr("error: nothing was changed\n  why: deployment/muster-operator exists and does not "
                                 "belong to Muster; rename or delete it\n"));
  EXPECT_TRUE(cli.writes().empty());
}

TEST(Install, RefusesWrongSettingsAndEngines) {
  ClusterRun cli;
  EXPECT_EQ(cli.run(make_install(), {"--replicas", "-1"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("error: --replicas: must be 1 to 10, got 0\n"));
  cli.server.put("/version", json::Object{{"musterVersion", "0.1.0"}});
  EXPECT_EQ(cli.run(make_install(), {}), 2);
  EXPECT_THAT(cli.err, HasSubstr("fix: name a cluster: muster install --kubeconfig FILE, or --context NAME\n"));
  EXPECT_TRUE(cli.writes().empty());
}

TEST(Install, SaysWhatToDoAboutAFieldOfAnotherManager) {
  ClusterRun cli;
  cli.server.refuse(
      "PATCH", "/api/v1/namespaces/muster-system", 409,
      *json::parse(R"({"kind":"Status","reason":"Conflict","code":409,"message":"conflict with \"kubectl\""})"));
  EXPECT_EQ(cli.run(make_install(), {}), 4);
  EXPECT_THAT(cli.err, HasSubstr("error: namespace/muster-system: conflict with"));
  EXPECT_THAT(cli.err, HasSubstr("--force-conflicts\n"));
}

TEST(Install, RemovesWhatEarlierSettingsHaveBrought) {
  ClusterRun cli;
  ASSERT_EQ(cli.run(make_install(), {"--wait=false", "--replicas", "2"}), 0) << cli.err;
  cli.out.clear();
  EXPECT_EQ(cli.run(make_install(), {"--wait=false", "--user-roles=false"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("poddisruptionbudget/muster-operator removed\n"));
  EXPECT_THAT(cli.out, HasSubstr("clusterrole/muster-view removed\n"));
  EXPECT_THAT(cli.out, Not(HasSubstr("clusterrole/muster-operator removed\n")));
}

TEST(Uninstall, RemovesTheOperatorAndSaysWhatStays) {
  ClusterRun cli;
  ASSERT_EQ(cli.run(make_install(), {"--wait=false"}), 0) << cli.err;
  cli.out.clear();
  EXPECT_EQ(cli.run(make_uninstall(), {}), 0) << cli.err;
  EXPECT_THAT(cli.out, StartsWith("deployment/muster-operator removed\n"));
  EXPECT_THAT(cli.out, HasSubstr("clusterrole/muster-operator removed\n"));
  EXPECT_THAT(cli.out, HasSubstr("namespace/muster-system removed\n"));
  EXPECT_THAT(cli.out, HasSubstr(" kinds with 0 objects stay; running pods keep running, and nobody restarts them.\n"));
  for (const std::string& request : cli.writes()) {
    EXPECT_FALSE(request.starts_with("DELETE") && request.find("customresourcedefinitions") != std::string::npos);
  }
}

TEST(Uninstall, KeepsANamespaceWithOtherThings) {
  ClusterRun cli;
  ASSERT_EQ(cli.run(make_install(), {"--wait=false"}), 0) << cli.err;
  cli.server.put("/api/v1/namespaces/muster-system/persistentvolumeclaims/data",
                 cli::make_object("v1", "PersistentVolumeClaim", "data"));
  EXPECT_EQ(cli.run(make_uninstall(), {}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("namespace/muster-system stays: it has 1 persistentvolumeclaims\n"));
}

TEST(Uninstall, RemovesKindsOnlyWhenSomebodyIsSure) {
  ClusterRun cli;
  ASSERT_EQ(cli.run(make_install(), {"--wait=false"}), 0) << cli.err;
  cli.server.put("/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/mnist",
                 cli::make_object("kubeflow.org/v1", "PyTorchJob", "mnist"));
  EXPECT_NE(cli.run(make_uninstall(), {"--crds"}), 0);
  EXPECT_THAT(cli.err, HasSubstr("--crds removes "));
  EXPECT_THAT(cli.err, HasSubstr("add --yes to do so"));
  const auto finish = [&] {
    for (const api::Resource& kind : api::resources()) {
      if (kind.has_own_crd()) cli.server.remove(kCrds + kind.qualified_name());
    }
  };
  EXPECT_EQ(cli.run(make_uninstall(), {"--crds", "--yes"}, {finish}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("customresourcedefinition/pytorchjobs.kubeflow.org removed\n"));
}

}  // namespace
}  // namespace muster::install
