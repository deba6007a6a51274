#include "cli/sweep/decimal.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

std::string echo(std::string_view text) {
  const auto number = parse_decimal(text);
  return number ? decimal_text(*number) : "none";
}

TEST(Decimal, IsWrittenWithoutAnExponent) {
  EXPECT_EQ(echo("3"), "3");
  EXPECT_EQ(echo("-0.250"), "-0.25");
  EXPECT_EQ(echo("1e-4"), "0.0001");
  EXPECT_EQ(echo("2.5e3"), "2500");
  EXPECT_EQ(echo("0.0"), "0");
  EXPECT_EQ(echo("+.5"), "0.5");
}

TEST(Decimal, OtherTextsAreNoNumbers) {
  for (const char* text : {"", "-", ".", "1e", "1e99", "0x10", "1..2", "nan", "1 ", "1234567890123456"}) {
    EXPECT_EQ(echo(text), "none") << text;
  }
}

TEST(Decimal, KnowsWholeNumbers) {
  EXPECT_TRUE(is_whole(*parse_decimal("2.0")));
  EXPECT_TRUE(is_whole(*parse_decimal("1e3")));
  EXPECT_FALSE(is_whole(*parse_decimal("2.5")));
}

TEST(Progression, AddsExactly) {
  const auto steps = make_progression(*parse_decimal("0"), *parse_decimal("0.3"), *parse_decimal("0.1"));
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->count, 4u);
  EXPECT_EQ(decimal_text(steps->at(3)), "0.3");
}

TEST(Progression, GoesDownWithANegativeStepAndNowhereWithAWrongOne) {
  const auto down = make_progression(*parse_decimal("3"), *parse_decimal("1"), *parse_decimal("-1"));
  ASSERT_EQ(down->count, 3u);
  EXPECT_EQ(decimal_text(down->at(2)), "1");
  EXPECT_EQ(make_progression(*parse_decimal("3"), *parse_decimal("1"), *parse_decimal("1"))->count, 0u);
}

TEST(Progression, NumbersOfVeryDifferentSizesAreRefused) {
  EXPECT_FALSE(make_progression(*parse_decimal("1e-20"), *parse_decimal("1e20"), *parse_decimal("1")));
}

}  // namespace
}  // namespace muster::cli
