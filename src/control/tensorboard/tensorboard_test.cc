#include "control/tensorboard/tensorboard.h"

#include <gmock/gmock.h>

#include "control/page/page_plans_for_tests.h"
#include "control/tensorboard/log_folders.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TensorBoardGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TensorBoardGolden, PlanIsAsWritten) {
  expect_page_plans("src/control/tensorboard/testdata", GetParam(),
                    [](const Snapshot& seen, const json::Document& script) {
                      return plan_tensorboard(
                          seen, {.pages_url = script.string_at("pagesUrl"),
                                 .idle_after = parse_duration(script.string_at("idleAfter")).value_or(Duration(0))});
                    });
}

INSTANTIATE_TEST_SUITE_P(Cases, TensorBoardGolden,
                         ::testing::Values("fresh", "several", "suspended", "failed", "deleted", "unshowable", "idle"),
                         [](const auto& golden) { return std::string(golden.param); });

// ---- log folders ----

TEST(LogSources, BothFormsAreOneListWithoutRepetitions) {
  api::TensorBoardSpec spec;
  spec.training_log_filesets = {"t9k://pvc/tutorial/a/log", "t9k://pvc/mnist"};
  spec.log_dir = api::TensorBoardLogDir{
      .pvc = {{.name = "tutorial", .sub_path = {"./a//log/", "b"}}, {.name = "all", .sub_path = {}}},
      .s3 = std::nullopt,
      .http = std::nullopt};
  const LogSources sources = log_sources(spec);
  EXPECT_THAT(sources.folders, ElementsAre(LogFolder{"tutorial", "a/log"}, LogFolder{"mnist", ""},
                                           LogFolder{"tutorial", "b"}, LogFolder{"all", ""}));
  EXPECT_THAT(sources.unsupported, IsEmpty());
}

TEST(LogSources, WhatIsNoFolderOfAClaimIsUnsupported) {
  api::TensorBoardSpec spec;
  spec.training_log_filesets = {"t9k://minio/secret/bucket/log", "t9k://pvc/a/../b"};
  spec.log_dir =
      api::TensorBoardLogDir{.pvc = {},
                             .s3 = api::TensorBoardS3Source{.secret_ref = std::nullopt, .uri = {"s3://bucket/log"}},
                             .http = api::TensorBoardHttpSource{.url = {"http://logs"}}};
  const LogSources sources = log_sources(spec);
  EXPECT_THAT(sources.folders, IsEmpty());
  EXPECT_THAT(sources.unsupported,
              ElementsAre("t9k://minio/secret/bucket/log", "t9k://pvc/a/../b", "s3://bucket/log", "http://logs"));
}

}  // namespace
}  // namespace muster::control
