// The objects of an installation: deploy/ and src/install/testdata show them. `MUSTER_UPDATE_GOLDEN=1
// installation_test` writes both again; read the difference before committing it.
#include "install/objects/installation.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "api/resource.h"
#include "base/files.h"
#include "install/objects/metadata.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_golden(const std::string& path, const std::string& text) {
  const std::string file = testing::source_dir() + std::string("/") + path;
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(file, text, 0644));
  }
  EXPECT_EQ(read_file(file).value_or(""), text) << "MUSTER_UPDATE_GOLDEN=1 installation_test rewrites " << file;
}

void expect_golden_objects(const std::string& name, Settings settings) {
  settings.crds = false;
  ASSERT_TRUE(check_settings(settings));
  expect_golden("src/install/testdata/" + name + ".yaml", export_text(installation(settings)));
}

std::vector<std::string> kinds_of(const std::vector<json::Document>& objects) {
  std::vector<std::string> kinds;
  for (const json::Document& object : objects) kinds.push_back(object.string_at("kind"));
  return kinds;
}

TEST(Installation, TheDeployFolderIsUpToDate) {
  for (const auto& [path, text] : deploy_files()) expect_golden("deploy/" + path, text);
}

TEST(Installation, ForSomeNamespacesHasRolesAndNoClusterRole) {
  Settings settings;
  settings.ns = "team-a";
  settings.namespaces = {"team-a", "team-b"};
  expect_golden_objects("namespaces", settings);
  settings.crds = false;
  for (const json::Document& object : installation(settings)) {
    EXPECT_FALSE(object.string_at("metadata", "namespace").empty()) << json::to_yaml(object);
  }
}

TEST(Installation, WithEveryOption) {
  Settings settings;
  settings.ns = "training";
  settings.kinds = {"pytorchjobs=on", "crons=off"};
  settings.image = "registry.example/muster@sha256:0";
  settings.image_pull_secrets = {"registry"};
  settings.replicas = 2;
  settings.priority_class = kOwnPriorityClass;
  settings.cpu = "250m";
  settings.memory = "512Mi";
  settings.memory_limit = "2Gi";
  settings.extra_args = {"--lease-duration=30s"};
  settings.service_monitor = true;
  expect_golden_objects("options", settings);
}

TEST(Installation, OfTwoKindsHasNoFurtherRights) {
  Settings settings;
  settings.kinds = {"pytorchjobs", "tfjobs"};
  settings.user_roles = false;
  expect_golden_objects("kinds", settings);
}

TEST(Installation, LeavesOutTheCrdsOfKindsThatAreOff) {
  Settings settings;
  settings.kinds = {"pytorchjobs=off", "mpijobs.kubeflow.org=off"};
  std::vector<std::string> names;
  for (const json::Document& object : installation(settings)) {
    if (object.string_at("kind") == "CustomResourceDefinition") names.push_back(object.string_at("metadata", "name"));
  }
  EXPECT_THAT(names, ::testing::Contains("tfjobs.kubeflow.org"));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("pytorchjobs.kubeflow.org")));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("mpijobs.kubeflow.org")));
}

TEST(Installation, WithoutRolesIsForThoseWhoMakeThemThemselves) {
  Settings settings;
  settings.rbac = false;
  settings.crds = false;
  EXPECT_THAT(kinds_of(installation(settings)), ElementsAre("Namespace", "ServiceAccount", "Service", "Deployment"));
}

TEST(Installation, EachObjectIsLabelledAsOurs) {
  for (const json::Document& object : installation({})) {
    EXPECT_TRUE(is_ours(object)) << json::to_yaml(object);
    if (object.string_at("kind") == "CustomResourceDefinition") continue;
    EXPECT_EQ(object.string_at("metadata", "labels", "app.kubernetes.io/version"), version());
  }
}

TEST(Installation, ExportsOneStreamThatReadsBack) {
  const std::vector<json::Document> objects = installation({});
  const auto parsed = json::parse_yaml(export_text(objects));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) EXPECT_TRUE((*parsed)[i].value == objects[i]);
}

TEST(Installation, NamesEveryWrongSetting) {
  Settings settings;
  settings.ns = "Team A";
  settings.namespaces = {"b_c"};
  settings.kinds = {"rockets"};
  settings.image = "";
  settings.replicas = 0;
  settings.cpu = "much";
  const Status checked = check_settings(settings);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message,
              HasSubstr("--namespace: \"Team A\" is not a name of a namespace; "
                        "--namespaces: \"b_c\" is not a name of a namespace; --kinds: there is no kind \"rockets\""));
  EXPECT_THAT(checked.error().message, HasSubstr("--image: must name an image; --replicas: must be 1 to 10, got 0; "
                                                 "--cpu: must be a quantity such as 100m or 1Gi, got \"much\""));
}

}  // namespace
}  // namespace muster::install
