#include "base/quantity.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace muster {
namespace {

Quantity q(std::string_view text) {
  const std::optional<Quantity> parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Quantity());
}

TEST(QuantityText, IsCanonicalInItsFamily) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0", "0"},        {"1500m", "1500m"},   {"0.5", "500m"},   {"1000m", "1"},
      {"1000", "1k"},    {"1024", "1024"},     {"1.5", "1500m"},  {"1e3", "1e3"},
      {"1000e0", "1e3"}, {"1E", "1E"},         {"1E3", "1e3"},    {"15e2", "1500"},
      {"1Gi", "1Gi"},    {"1.5Gi", "1536Mi"},  {"1024Mi", "1Gi"}, {"512Ki", "512Ki"},
      {"0.5Ki", "512"},  {"0.1Ki", "102400m"}, {"-1Gi", "-1Gi"},  {"+5", "5"},
      {"100n", "100n"},  {"1000u", "1m"},      {"5.", "5"},       {".5", "500m"},
      {"0.1n", "1n"},    {"12e-3", "12e-3"},   {"1e-10", "1e-9"}, {"2000Ei", "9223372036854775807"},
  };
  for (const auto& [text, canonical] : cases) EXPECT_EQ(q(text).text(Quantity::form_of(text)), canonical) << text;
}

TEST(QuantityText, ParsesBackToTheSameAmount) {
  for (const char* text : {"1", "7m", "3Gi", "1.25", "9E", "123456789", "1n", "-4k", "1.1Ei"}) {
    const Quantity amount = q(text);
    for (const auto form : {Quantity::Form::kDecimal, Quantity::Form::kBinary, Quantity::Form::kExponent}) {
      EXPECT_EQ(q(amount.text(form)), amount) << text;
    }
  }
}

TEST(QuantityParse, RejectsInvalidAmounts) {
  for (const char* text : {"",    "-",     ".",  "1.2.3", "1 ",    " 1",   "1K",  "1ki",  "1gi", "1e",
                           "1e+", "1e-+3", "e3", "1mm",   "1e999", "0x10", "1,5", "1Gi2", "m",   "--1"}) {
    EXPECT_FALSE(Quantity::parse(text).has_value()) << text;
  }
}

TEST(QuantityParse, CapsAtTheLargestWhole) {
  EXPECT_EQ(q("99999999999999999999999999").value(), INT64_MAX);
  EXPECT_EQ(q("-16Ei").value(), -INT64_MAX);
  EXPECT_EQ(q("1e50").value(), INT64_MAX);
}

TEST(QuantityValue, RoundsAwayFromZero) {
  EXPECT_EQ(q("1500m").value(), 2);
  EXPECT_EQ(q("1").value(), 1);
  EXPECT_EQ(q("-1500m").value(), -2);
  EXPECT_EQ(q("1500u").milli_value(), 2);
  EXPECT_EQ(q("2").milli_value(), 2000);
  EXPECT_EQ(q("9E").milli_value(), INT64_MAX);
}

TEST(QuantityArithmetic, IsExactAndOrdered) {
  EXPECT_EQ(q("1") - q("1n") + q("1n"), q("1"));
  EXPECT_EQ(q("0.1") + q("0.2"), q("0.3"));
  EXPECT_LT(q("1Gi"), q("2G"));
  EXPECT_GT(q("1Ki"), q("1k"));
  EXPECT_EQ(Quantity::of(4), q("4"));
  EXPECT_TRUE((q("4") - q("4")).is_zero());
  EXPECT_EQ((q("1") - q("3")).text(), "-2");
}

}  // namespace
}  // namespace muster
