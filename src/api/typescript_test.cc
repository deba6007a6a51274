// The committed TypeScript types match the descriptors. `MUSTER_UPDATE_GOLDEN=1 api_test` writes them again.
#include "api/typescript.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "testing/source_dir.h"

namespace muster::api {
namespace {

using ::testing::HasSubstr;

TEST(TypeScript, CommittedFileIsUpToDate) {
  const auto path = std::filesystem::path(testing::source_dir()) / "deploy" / "types" / "types.gen.ts";
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << typescript();
  }
  std::ostringstream committed;
  committed << std::ifstream(path).rdbuf();
  EXPECT_TRUE(committed.str() == typescript())
      << path << " is not what the descriptors say; MUSTER_UPDATE_GOLDEN=1 api_test rewrites it";
}

TEST(TypeScript, TellsFieldsEnumsAndNamesakes) {
  const std::string text = typescript();
  EXPECT_THAT(text, HasSubstr("export interface TFJobSpec {\n"));
  EXPECT_THAT(text, HasSubstr("  tfReplicaSpecs: Record<string, TFReplicaSpec>;\n"));
  EXPECT_THAT(text, HasSubstr("  concurrencyPolicy?: \"Allow\" | \"Forbid\" | \"Replace\";\n"));
  EXPECT_THAT(text, HasSubstr("export interface KubeflowOrgV1MPIJob {\n"));
  EXPECT_THAT(text, HasSubstr("export interface KubeflowOrgV2beta1MPIJob {\n"));
  EXPECT_THAT(text, HasSubstr("  apiVersion: \"kubeflow.org/v2beta1\";\n"));
  EXPECT_THAT(text, HasSubstr("  successRules?: Record<string, number[]>[];\n"));
  EXPECT_THAT(text, HasSubstr("  maxSurge?: number | string;\n"));
}

}  // namespace
}  // namespace muster::api
