// The committed CustomResourceDefinitions match the descriptors. `MUSTER_UPDATE_GOLDEN=1 api_test` writes them again.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "api/resource.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::api {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  return fs::path(testing::source_dir()) / "deploy" / "crds";
}
fs::path file_of(const Resource& r) {
  return folder() / (r.qualified_name() + ".yaml");
}
bool updating() {
  return std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr;
}

std::string contents(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(Crd, CommittedFilesAreUpToDate) {
  std::set<fs::path> expected;
  for (const Resource& r : resources()) {
    if (!r.has_own_crd()) continue;
    const fs::path path = file_of(r);
    expected.insert(path);
    const std::string text = json::to_yaml(crd(r));
    if (updating()) {
      fs::create_directories(folder());
      std::ofstream(path) << text;
    }
    EXPECT_TRUE(contents(path) == text)
        << path << " is not what the descriptors say; MUSTER_UPDATE_GOLDEN=1 api_test rewrites it";
  }
  for (const auto& entry : fs::directory_iterator(folder())) {
    EXPECT_TRUE(expected.contains(entry.path())) << entry.path() << " belongs to no resource";
  }
}

TEST(Crd, ReadsBackAsItWas) {
  for (const Resource& r : resources()) {
    if (!r.has_own_crd()) continue;
    const auto parsed = json::parse_yaml(json::to_yaml(crd(r)));
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    ASSERT_EQ(parsed->size(), 1u);
    EXPECT_TRUE(parsed->front().value == crd(r));
  }
}

TEST(Crd, FitsIntoTheAnnotationOfClientSideApply) {
  for (const Resource& r : resources()) {
    if (!r.has_own_crd()) continue;
    EXPECT_LT(json::serialize(crd(r)).size(), 131072u) << r.kind;
  }
}

TEST(Crd, HasNamesColumnsAndSubresources) {
  const json::Document pj = crd(*find_typed("pj"));
  EXPECT_EQ(pj.string_at("metadata", "name"), "pytorchtrainingjobs.batch.tensorstack.dev");
  EXPECT_EQ(json::serialize(*pj.at("spec", "names")),
            R"({"kind":"PyTorchTrainingJob","listKind":"PyTorchTrainingJobList","plural":"pytorchtrainingjobs",)"
            R"("singular":"pytorchtrainingjob","shortNames":["pj"],"categories":["all"]})");
  const json::Document job = crd(*find_typed("pytorchjob"));
  const json::Document& version = job.at("spec", "versions")->as_array()[0];
  EXPECT_EQ(json::serialize(*version.find("subresources")),
            R"({"status":{},"scale":{"specReplicasPath":".spec.pytorchReplicaSpecs.Worker.replicas",)"
            R"("statusReplicasPath":".status.replicaStatuses.Worker.active",)"
            R"("labelSelectorPath":".status.replicaStatuses.Worker.selector"}})");
  EXPECT_EQ(version.find("additionalPrinterColumns")->as_array()[0].string_at("jsonPath"),
            ".status.conditions[-1:].type");
  EXPECT_EQ(
      json::serialize(*version.at("schema", "openAPIV3Schema", "properties", "metadata")),
      R"({"type":"object","properties":{"name":{"type":"string","pattern":"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"}}})");
  EXPECT_EQ(json::serialize(
                *pj.at("spec", "versions")->as_array()[0].at("schema", "openAPIV3Schema", "properties", "metadata")),
            R"({"type":"object"})");
}

}  // namespace
}  // namespace muster::api
