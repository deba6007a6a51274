#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/seeded_rng.h"

namespace muster {
namespace {

TEST(SystemRng, DoesNotRepeat) {
  SystemRng rng;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.next());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(SeededRng, RepeatsForTheSameSeed) {
  testing::SeededRng a(7);
  testing::SeededRng b(7);
  testing::SeededRng c(8);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    EXPECT_NE(value, c.next());
  }
}

TEST(MakeUuid, IsVersionFour) {
  testing::SeededRng rng;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = make_uuid(rng);
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos) << uuid;
    EXPECT_EQ(uuid[8], '-');
    EXPECT_EQ(uuid[13], '-');
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos) << uuid;
  }
}

TEST(MakeNameSuffix, HasFiveSafeCharacters) {
  testing::SeededRng rng;
  for (int i = 0; i < 100; ++i) {
    const std::string suffix = make_name_suffix(rng);
    EXPECT_EQ(suffix.size(), 5U);
    EXPECT_EQ(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos) << suffix;
  }
}

TEST(MakeToken, Is256BitsOfHex) {
  testing::SeededRng rng;
  const std::string token = make_token(rng);
  EXPECT_EQ(token.size(), 64U);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  EXPECT_NE(token, make_token(rng));
}

}  // namespace
}  // namespace muster
