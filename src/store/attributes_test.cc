#include "store/attributes.h"

#include <gtest/gtest.h>

namespace muster::store {
namespace {

TEST(Attributes, GiveBackWhatWasAdded) {
  const std::string large(100'000, 'x');
  const Attributes attributes{
      {"a", "1"}, {"empty", ""}, {"large", large}, {std::string("n\0l", 3), std::string("\0", 1)}};
  EXPECT_EQ(attributes.find("a"), "1");
  EXPECT_EQ(attributes.find("empty"), "");
  EXPECT_EQ(attributes.find("large"), large);
  EXPECT_EQ(attributes.find(std::string_view("n\0l", 3)), std::string_view("\0", 1));
  EXPECT_EQ(attributes.find("b"), std::nullopt);
  EXPECT_EQ(Attributes().find("a"), std::nullopt);
}

TEST(Attributes, AreVisitedInOrderUntilEnough) {
  std::string seen;
  Attributes{{"a", "1"}, {"b", "2"}, {"c", "3"}}.each([&](std::string_view key, std::string_view value) {
    seen.append(key).append(value);
    return key != "b";
  });
  EXPECT_EQ(seen, "a1b2");
}

}  // namespace
}  // namespace muster::store
