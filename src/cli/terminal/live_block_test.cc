#include "cli/terminal/live_block.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

constexpr LiveBlock::Size kSmall{.rows = 10, .columns = 12};

TEST(LiveBlock, IsDrawnBelowTheLinesThatScroll) {
  LiveBlock block;
  block.set("a", "[w0] ", "50%");
  EXPECT_EQ(block.draw("loss 1\n", kSmall), "loss 1\n[w0] 50%\n");
  block.set("b", "[w1] ", "40%");
  EXPECT_EQ(block.draw("loss 2\n", kSmall), "\x1b[1A\x1b[Jloss 2\n[w0] 50%\n[w1] 40%\n");
  block.set("a", "[w0] ", "");
  EXPECT_EQ(block.draw("", kSmall), "\x1b[2A\x1b[J[w1] 40%\n");
  EXPECT_EQ(block.erase(), "\x1b[1A\x1b[J");
  EXPECT_EQ(block.erase(), "") << "it is gone";
  EXPECT_FALSE(block.empty());
}

TEST(LiveBlock, FitsTheTerminal) {
  LiveBlock block;
  block.set("a", "", "\x1b[32m1234567890123\x1b[0m");
  EXPECT_EQ(block.draw("", kSmall), "\x1b[32m12345678901\x1b[0m\n");
  block.set("a", "", "\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587");
  EXPECT_EQ(block.draw("", kSmall), "\x1b[1A\x1b[J\u4e2d\u6587\u4e2d\u6587\u4e2d\n") << "two columns each";
}

TEST(LiveBlock, NamesTheLinesThatHaveNoRoom) {
  LiveBlock block;
  for (int i = 0; i < 30; ++i) block.set(std::to_string(100 + i), "", "x" + std::to_string(i));
  EXPECT_EQ(block.draw("", kSmall), "x0\nx1\nx2\nx3\n\u2026 and 26 mo\n");
}

TEST(LiveBlock, LetsNothingButColoursThrough) {
  LiveBlock block;
  block.set("a", "", "\x1b[2J\x1b]0;title\x07 50%\nx\ty\b");
  const std::string drawn = block.draw("", {.rows = 10, .columns = 80});
  EXPECT_EQ(drawn, "\\x1b[2J\\x1b]0;title\\x07 50% x y\\x08\n");
}

}  // namespace
}  // namespace muster::cli
