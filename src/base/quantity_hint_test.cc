#include "base/quantity_hint.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(QuantityHint, FindsTheProbableQuantity) {
  EXPECT_EQ(meant_quantity("1GiB"), "1Gi");
  EXPECT_EQ(meant_quantity("1gib"), "1Gi");
  EXPECT_EQ(meant_quantity("512MB"), "512M");
  EXPECT_EQ(meant_quantity("512mb"), "512M");
  EXPECT_EQ(meant_quantity("4 Gi"), "4Gi");
  EXPECT_EQ(meant_quantity("1,5Gi"), "1.5Gi");
  EXPECT_EQ(meant_quantity("8K"), "8k");
  EXPECT_EQ(meant_quantity("100B"), "100");
}

TEST(QuantityHint, SuggestsNothingWhenNothingIsClose) {
  for (const char* text : {"", "lots", "Gi", "1.2.3Gi", "1GiBs", "１Gi", "1e400Gi", "--1"}) {
    EXPECT_EQ(meant_quantity(text), std::nullopt) << text;
  }
}

TEST(QuantityHint, GivesTheRule) {
  EXPECT_EQ(quantity_advice("1GiB"),
            "must be a number with a suffix such as m, k, M, G, Ki, Mi or Gi; did you mean \"1Gi\"?");
  EXPECT_EQ(quantity_advice("lots"), kQuantityRule);
}

}  // namespace
}  // namespace muster
