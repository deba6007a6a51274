#include "base/shortened.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Shortened, KeepsWhatFitsAndCutsTheRestBetweenCharacters) {
  EXPECT_EQ(shortened("", 0), "");
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("abä", 3), "ab…");
  EXPECT_EQ(shortened("\xbf\xbf", 1), "…") << "no character begins anywhere";
  EXPECT_EQ(shortened(std::string(kLongestEcho + 1, 'x')), std::string(kLongestEcho, 'x') + "…");
}

}  // namespace
}  // namespace muster
