#include "store/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::store {
namespace {

TEST(Checksum, AgreesWithPublishedValuesOfXxh64) {
  EXPECT_EQ(checksum(""), 0xEF46DB3751D8E999ULL);
  EXPECT_EQ(checksum("a"), 0xD24EC4F1A98C6E5BULL);
  EXPECT_EQ(checksum("abc"), 0x44BC2CF5AD770999ULL);
  EXPECT_EQ(checksum("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1ULL);
}

TEST(Checksum, NoticesEverySingleBitAtEveryLengthUpToThreeBlocks) {
  for (std::size_t length = 1; length <= 100; ++length) {
    std::string bytes(length, 'x');
    const auto good = checksum(bytes);
    for (std::size_t bit = 0; bit < length * 8; ++bit) {
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_NE(checksum(bytes), good) << length << " bytes, bit " << bit;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    }
  }
}

TEST(RowChecksum, DependsOnEveryPartAndOnWhereOneEnds) {
  const auto sum = row_checksum(1, {"pods", "default", "a"}, 7, "body");
  EXPECT_NE(sum, row_checksum(2, {"pods", "default", "a"}, 7, "body"));
  EXPECT_NE(sum, row_checksum(1, {"pod", "default", "a"}, 7, "body"));
  EXPECT_NE(sum, row_checksum(1, {"pods", "defaul", "ta"}, 7, "body"));
  EXPECT_NE(sum, row_checksum(1, {"pods", "default", "b"}, 7, "body"));
  EXPECT_NE(sum, row_checksum(1, {"pods", "default", "a"}, 8, "body"));
  EXPECT_NE(sum, row_checksum(1, {"pods", "default", "a"}, 7, "bodY"));
  EXPECT_NE(sum, row_checksum(1, {"pods", "default", "abody"}, 7, ""));
}

}  // namespace
}  // namespace muster::store
