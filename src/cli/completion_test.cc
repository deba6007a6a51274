#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_table.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

class CompletionTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CompletionTest, OffersEveryCommandAndFlag) {
  const auto script = completion_script(GetParam(), {{"up", "start the engine"}});
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_THAT(*script, HasSubstr("up"));
  for (const Entry& entry : command_table()) EXPECT_THAT(*script, HasSubstr(std::string(entry.name)));
  EXPECT_THAT(*script, HasSubstr("pytorchtrainingjobs"));
  EXPECT_THAT(*script, HasSubstr(GetParam() == "fish" ? "-l grace-period\n" : " --grace-period "));
  EXPECT_THAT(*script, HasSubstr("-o name 2>/dev/null"));
}

INSTANTIATE_TEST_SUITE_P(Shells, CompletionTest, ::testing::Values("bash", "zsh", "fish"));

TEST(Completion, RefusesAnotherShell) {
  EXPECT_EQ(completion_script("tcsh", {}).error().message, "completion: must be bash, zsh or fish, got \"tcsh\"");
}

}  // namespace
}  // namespace muster::cli
