#include "base/run_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace muster {
namespace {

ProgramRun shell(const std::string& script) {
  return {.words = {"sh", "-c", script}, .env = std::nullopt};
}

TEST(RunProgram, ReadsWhatItPrintsAndHowItEnds) {
  ProgramRun run = shell("printf %s \"$WORD\"; exit 3");
  run.env = {{"WORD=hello", "PATH=/usr/bin:/bin"}};
  const auto end = run_program(run);
  ASSERT_TRUE(end.has_value()) << end.error().message;
  EXPECT_EQ(end->output, "hello");
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_FALSE(end->succeeded());
  EXPECT_EQ(run_program(shell("kill -9 $$"))->signal, 9);
  EXPECT_TRUE(run_program(shell("true"))->succeeded());
  EXPECT_EQ(run_program({.words = {"muster-no-such-program"}}).error().reason, Reason::kNotFound);
}

TEST(RunProgram, HasALimitWhateverTheProgramDoesWithItsOutput) {
  for (const char* script : {"exec sleep 1000", "exec >&-; exec sleep 1000"}) {
    ProgramRun run = shell(script);
    run.limit = std::chrono::milliseconds(50);
    EXPECT_EQ(run_program(run).error().reason, Reason::kTimeout) << script;
  }
  ProgramRun run = shell("while :; do echo more; done");
  run.max_output = 1000;
  EXPECT_EQ(run_program(run).error().reason, Reason::kRequestEntityTooLarge);
}

TEST(RunProgram, DoesNotPassOnThatBrokenPipesAreIgnored) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const auto end = run_program({.words = {"grep", "SigIgn", "/proc/self/status"}});
  ::signal(SIGPIPE, before);
  ASSERT_TRUE(end) << end.error().message;
  const auto ignored = std::stoull(end->output.substr(end->output.find(':') + 1), nullptr, 16);
  EXPECT_EQ(ignored >> (SIGPIPE - 1) & 1, 0U) << end->output;
}

TEST(RunProgram, DoesNotWaitForWhatItLeavesBehind) {
  ProgramRun run = shell("sleep 5 & echo done");
  const auto end = run_program(run);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->output, "done\n");
}

}  // namespace
}  // namespace muster
