#include "control/notebook/notebook.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/kubernetes/core_v1.h"
#include "control/page/page_plans_for_tests.h"

namespace muster::control {
namespace {

class NotebookGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(NotebookGolden, PlanIsAsWritten) {
  expect_page_plans("src/control/notebook/testdata", GetParam(),
                    [](const Snapshot& seen, const json::Document& script) {
                      const bool cluster = script.string_at("where") == "cluster";
                      return plan_notebook(seen, script.string_at("pagesUrl"), "fresh-token",
                                           cluster ? Where::kCluster : Where::kEngine);
                    });
}

INSTANTIATE_TEST_SUITE_P(Cases, NotebookGolden,
                         ::testing::Values("fresh", "own_command", "suspended", "idle", "failed", "invalid", "deleted",
                                           "cluster"),
                         [](const auto& golden) { return std::string(golden.param); });

TEST(NotebookTest, AnOperatorDoesNotWatchSecrets) {
  const auto watches_secrets = [](Where where) {
    const Controller controller = notebook_controller(
        "", [] { return std::string("t"); }, where);
    return std::ranges::any_of(controller.children,
                               [](const WatchedKind& kind) { return kind.type == &reflect::type_of<api::Secret>(); });
  };
  EXPECT_FALSE(watches_secrets(Where::kCluster));
  EXPECT_TRUE(watches_secrets(Where::kEngine));
}

}  // namespace
}  // namespace muster::control
