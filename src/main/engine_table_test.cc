#include "main/engine_table.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using ::testing::HasSubstr;

TEST(EngineTable, EveryCommandHasItsHelp) {
  for (const EngineEntry& entry : engine_table()) {
    cli::Flags flags;
    entry.make()->add_flags(flags);
    const std::string text = cli::help_text(entry.help, flags);
    const std::string name(entry.help.name);
    EXPECT_THAT(text, HasSubstr(name + ": "));
    EXPECT_THAT(text, HasSubstr("\nUsage:\n  muster " + name));
    EXPECT_THAT(text, HasSubstr("muster " + name));
    EXPECT_THAT(text, HasSubstr("\nExamples:\n  "));
    EXPECT_EQ(text.find("--data-dir") == std::string::npos, name == "completion");
    EXPECT_EQ(find_engine_command(name), &entry);
  }
  EXPECT_EQ(find_engine_command("upp"), nullptr);
}

TEST(EngineTable, TooManyWordsAreRefused) {
  EXPECT_EQ(run_engine_command(*find_engine_command("status"), {"extra"}), 2);
  EXPECT_EQ(run_engine_command(*find_engine_command("up"), {"extra"}), 2);
  EXPECT_EQ(run_engine_command(*find_engine_command("up"), {"--lisen", "x"}), 2);
}

}  // namespace
}  // namespace muster
