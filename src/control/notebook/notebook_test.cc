#include "control/notebook/notebook.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "control/page/page_plans_for_tests.h"

namespace muster::control {
namespace {

class NotebookGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(NotebookGolden, PlanIsAsWritten) {
  expect_page_plans("src/control/notebook/testdata", GetParam(),
                    [](const Snapshot& seen, const json::Document& script) {
                      const bool by_name = script.string_at("secrets") == "byName";
                      return plan_notebook(seen, script.string_at("pagesUrl"), "fresh-token",
                                           by_name ? Secrets::kByName : Secrets::kWatched);
                    });
}

INSTANTIATE_TEST_SUITE_P(Cases, NotebookGolden,
                         ::testing::Values("fresh", "own_command", "suspended", "idle", "failed", "invalid", "deleted",
                                           "secret_by_name"),
                         [](const auto& golden) { return std::string(golden.param); });

TEST(NotebookTest, AnOperatorDoesNotWatchSecrets) {
  const auto watches_secrets = [](Secrets secrets) {
    const Controller controller = notebook_controller(
        "", [] { return std::string("t"); }, secrets);
    return std::ranges::any_of(controller.children,
                               [](const WatchedKind& kind) { return kind.type == &reflect::type_of<api::Secret>(); });
  };
  EXPECT_FALSE(watches_secrets(Secrets::kByName));
  EXPECT_TRUE(watches_secrets(Secrets::kWatched));
}

}  // namespace
}  // namespace muster::control
