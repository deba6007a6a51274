#include "main/commands.h"

#include <gmock/gmock.h>

#include "cli/cli.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const cli::Section kTable[] = {{"Engine", engine_commands()}, {"Jobs", cli::object_commands()}};

TEST(EngineCommands, EveryCommandHasItsHelp) {
  for (const cli::Entry& entry : engine_commands()) {
    cli::Flags flags;
    entry.make()->add_flags(flags);
    const std::string text = cli::help_text(entry, flags);
    const std::string name(entry.name);
    EXPECT_THAT(text, HasSubstr(name + ": "));
    EXPECT_THAT(text, HasSubstr("\nUsage:\n  muster " + name));
    EXPECT_THAT(text, HasSubstr("\nExamples:\n  "));
    if (entry.server == cli::Server::kNone) EXPECT_THAT(text, HasSubstr("--data-dir"));
    EXPECT_EQ(cli::find_command(kTable, name), &entry);
  }
  EXPECT_EQ(cli::find_command(kTable, "upp"), nullptr);
}

TEST(EngineCommands, TooManyWordsAreRefused) {
  EXPECT_EQ(cli::run(kTable, {"status", "extra"}), 2);
  EXPECT_EQ(cli::run(kTable, {"up", "extra"}), 2);
  EXPECT_EQ(cli::run(kTable, {"up", "--lisen", "x"}), 2);
}

/// A user may run a suggested command without checking it.
TEST(EngineCommands, WhatDestroysIsNeverSuggested) {
  for (const char* word : {"restart", "restor", "restroe", "resotre", "dow", "donw", "delte", "delet"}) {
    EXPECT_THAT(cli::unknown_command(word, kTable).what, Not(HasSubstr("did you mean"))) << word;
  }
  EXPECT_THAT(cli::unknown_command("statsu", kTable).what, HasSubstr("did you mean \"status\"?"));
  EXPECT_THAT(cli::unknown_command("bakup", kTable).what, HasSubstr("did you mean \"backup\"?"));
}

}  // namespace
}  // namespace muster
