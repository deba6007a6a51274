#include "control/notebook/notebook.h"

#include <gtest/gtest.h>

#include "control/page/page_plans_for_tests.h"

namespace muster::control {
namespace {

class NotebookGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(NotebookGolden, PlanIsAsWritten) {
  expect_page_plans("src/control/notebook/testdata", GetParam(),
                    [](const Snapshot& seen, const json::Document& script) {
                      return plan_notebook(seen, script.string_at("pagesUrl"), "fresh-token");
                    });
}

INSTANTIATE_TEST_SUITE_P(Cases, NotebookGolden,
                         ::testing::Values("fresh", "own_command", "suspended", "idle", "failed", "invalid", "deleted"),
                         [](const auto& golden) { return std::string(golden.param); });

}  // namespace
}  // namespace muster::control
