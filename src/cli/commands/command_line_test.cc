#include "cli/commands/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/command_table.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string wrong_line(const std::vector<std::string>& args) {
  const auto line = command_first(args);
  return line ? "accepted" : line.error().message;
}

TEST(CommandLine, FlagsOfEveryCommandMayComeBeforeIt) {
  EXPECT_THAT(*command_first({"-n", "x", "get", "pods"}), ElementsAre("get", "-n", "x", "pods"));
  EXPECT_THAT(*command_first({"-nx", "--context=c", "--kubeconfig", "f", "get"}),
              ElementsAre("get", "-nx", "--context=c", "--kubeconfig", "f"));
  EXPECT_THAT(*command_first({"get", "-n", "x"}), ElementsAre("get", "-n", "x"));
  EXPECT_THAT(*command_first({"-n", "x", "--version"}), ElementsAre("--version", "-n", "x"));
  EXPECT_THAT(*command_first({"--help"}), ElementsAre("--help"));
  EXPECT_THAT(*command_first({"-n", "x"}), IsEmpty());
}

TEST(CommandLine, OtherFlagsMayNot) {
  EXPECT_EQ(wrong_line({"-o", "yaml", "get"}), "unknown flag -o before the command; flags of a command come after it");
  EXPECT_EQ(wrong_line({"--namespce=x", "get"}),
            "unknown flag --namespce=x before the command; did you mean --namespace?");
  EXPECT_EQ(wrong_line({"-n"}), "flag -n needs a value");
}

TEST(CommandLine, ACommandThatWasMeantIsNamed) {
  const Section commands[] = {{"Jobs", object_commands()}};
  EXPECT_EQ(unknown_command("gett", commands).what, "unknown command \"gett\"; did you mean \"get\"?");
  EXPECT_EQ(unknown_command("aply", commands).what, "unknown command \"aply\"; did you mean \"apply\"?");
  EXPECT_EQ(unknown_command("descibe", commands).what, "unknown command \"descibe\"; did you mean \"describe\"?");
  EXPECT_EQ(unknown_command("ps", commands).fix, "muster get jobs");
  EXPECT_EQ(unknown_command("frobnicate", commands).what, "unknown command \"frobnicate\"");
  EXPECT_EQ(unknown_command("gett", commands).code, kExitUsage);
}

TEST(CommandLine, HelpHasItsParts) {
  bool all = false;
  Flags flags;
  flags.add("all", &all, "everything");
  const Entry up{"up", "start it", "muster up", "  muster up\n", nullptr, Server::kNone, "More.\n"};
  EXPECT_EQ(help_text(up, flags),
            "up: start it\n\nUsage:\n  muster up\n\nMore.\n\nExamples:\n  muster up\n\nFlags:\n"
            "      --all                    everything\n");
}

}  // namespace
}  // namespace muster::cli
