#include "cli/terminal/log_filter.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

std::string filtered(std::string_view bytes) {
  return LogFilter().feed(bytes);
}

TEST(LogFilter, KeepsColorsTabsAndLines) {
  const std::string text = "\x1b[1;31mred\x1b[0m\t训练 ok\n";
  EXPECT_EQ(filtered(text), text);
}

TEST(LogFilter, DisarmsEverythingElse) {
  EXPECT_EQ(filtered("\x1b]0;title\x07\n"), "\\x1b]0;title\\x07\n");
  EXPECT_EQ(filtered("\x1b]52;c;eA==\x1b\\\n"), "\\x1b]52;c;eA==\\x1b\\\n");
  EXPECT_EQ(filtered("\x1b[2J\x1b[1A\x1bP$qm\n"), "\\x1b[2J\\x1b[1A\\x1bP$qm\n");
  EXPECT_EQ(filtered("\xc2\x9b"
                     "2J\u202e\n"),
            "\\u009b2J\\u202e\n");
  EXPECT_EQ(filtered("\x1b[" + std::string(100, '1') + "m\n"), "\\x1b[" + std::string(100, '1') + "m\n");
}

TEST(LogFilter, OverwritesNothing) {
  EXPECT_EQ(filtered("10%\r20%\r\ndone\n"), "10%\n20%\ndone\n");
}

TEST(LogFilter, TakesAnyCuts) {
  const std::string text = "a\x1b[31mé\r\n训\x1b[2Jb\x1b[0m\rz\n";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    for (std::size_t j = i; j <= text.size(); ++j) {
      LogFilter filter;
      std::string out = filter.feed(text.substr(0, i));
      out += filter.feed(text.substr(i, j - i));
      out += filter.feed(text.substr(j));
      EXPECT_EQ(out, filtered(text)) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace muster::cli
