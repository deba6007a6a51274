#include "apiserver/http/conditional.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

TEST(Conditional, EtagsAreFoundInLists) {
  EXPECT_TRUE(names_etag("\"a\"", "\"a\""));
  EXPECT_TRUE(names_etag("\"b\", W/\"a\"", "\"a\""));
  EXPECT_TRUE(names_etag("*", "\"a\""));
  EXPECT_FALSE(names_etag("", "\"a\""));
  EXPECT_FALSE(names_etag("\"ab\"", "\"a\""));
}

TEST(Conditional, RangesAreCutToTheFile) {
  EXPECT_EQ(**parse_range("bytes=2-5", 10), (ByteRange{2, 4}));
  EXPECT_EQ(**parse_range("bytes=2-", 10), (ByteRange{2, 8}));
  EXPECT_EQ(**parse_range("bytes=2-99", 10), (ByteRange{2, 8}));
  EXPECT_EQ(**parse_range("bytes=-3", 10), (ByteRange{7, 3}));
  EXPECT_EQ(**parse_range("bytes=-99", 10), (ByteRange{0, 10}));
  EXPECT_EQ(**parse_range("bytes=0-0", 10), (ByteRange{0, 1}));
}

TEST(Conditional, OtherFormsMeanTheWholeFile) {
  for (const char* header : {"", "lines=1-2", "bytes=1-2,4-5", "bytes=-", "bytes=x-2", "bytes=5-2", "bytes"}) {
    const auto range = parse_range(header, 10);
    ASSERT_TRUE(range) << header;
    EXPECT_FALSE(*range) << header;
  }
}

TEST(Conditional, ARangeWithoutAByteOfTheFileIsRefused) {
  EXPECT_FALSE(parse_range("bytes=10-", 10));
  EXPECT_FALSE(parse_range("bytes=0-", 0));
  EXPECT_FALSE(parse_range("bytes=-0", 10));
  EXPECT_EQ(parse_range("bytes=12-20", 10).error().message, "Range: the file has 10 bytes, got \"bytes=12-20\"");
}

}  // namespace
}  // namespace muster::apiserver
