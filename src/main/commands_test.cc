#include "main/commands.h"

#include <gmock/gmock.h>

#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/cli.h"

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
    if (entry.server == cli::Server::kNone) {
      EXPECT_THAT(text, HasSubstr("--data-dir"));
    }
    EXPECT_EQ(cli::find_command(kTable, name), &entry);
  }
  EXPECT_EQ(cli::find_command(kTable, "upp"), nullptr);
}

std::vector<std::string> long_lines(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) { return text_width(line) <= 80; });
  return lines;
}

TEST(EngineCommands, HelpFitsATerminalOfEightyColumns) {
  EXPECT_THAT(long_lines(cli::program_help(kTable)), IsEmpty());
  for (const cli::Section& section : kTable) {
    for (const cli::Entry& entry : section.commands) {
      cli::Flags flags;
      entry.make()->add_flags(flags);
      EXPECT_THAT(long_lines(cli::help_text(entry, flags)), IsEmpty());
    }
  }
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
