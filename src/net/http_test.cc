#include "net/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::net {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> items(const Headers& headers) {
  return {headers.begin(), headers.end()};
}

TEST(Headers, NamesCompareWithoutCase) {
  const Headers headers{{"Content-Type", "text/plain"}, {"X", "1"}};
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "text/plain");
  EXPECT_TRUE(headers.has("x"));
  EXPECT_FALSE(headers.has("content-typ"));
  EXPECT_EQ(headers.get("content-typ"), "");
}

TEST(Headers, AddKeepsAllAndSetReplacesAll) {
  Headers headers;
  headers.add("Warning", "a");
  headers.add("Date", "d");
  headers.add("warning", "b");
  EXPECT_THAT(items(headers), ElementsAre(Pair("Warning", "a"), Pair("Date", "d"), Pair("warning", "b")));
  EXPECT_EQ(headers.get("WARNING"), "a");
  EXPECT_EQ(headers.count("WARNING"), 2U);
  headers.set("Warning", "c");
  EXPECT_THAT(items(headers), ElementsAre(Pair("Date", "d"), Pair("Warning", "c")));
}

TEST(HostName, IsWhatComesBeforeThePort) {
  EXPECT_EQ(host_name("LocalHost:8765"), "localhost");
  EXPECT_EQ(host_name("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host_name("127.0.0.1:"), "127.0.0.1");
  EXPECT_EQ(host_name("[::1]:8765"), "::1");
  EXPECT_EQ(host_name("[::1]"), "::1");
  EXPECT_EQ(host_name(""), "");
}

TEST(HeaderValue, HasNoControlCharacters) {
  for (const char* fine : {"", "token abc", "a\tb", "caf\xc3\xa9"}) EXPECT_TRUE(is_header_value(fine)) << fine;
  for (const char* wrong : {"a\r\nX: 1", "a\n", "\r", "a\x7f", "\x1b[0m"}) EXPECT_FALSE(is_header_value(wrong));
  EXPECT_FALSE(is_header_value(std::string_view("a\0b", 3)));
}

TEST(HostName, MayBeFollowedByAPortAlone) {
  EXPECT_EQ(host_name("localhost:65535"), "localhost");
  for (const char* wrong :
       {"localhost:65536", "[::1]:99999", "localhost:99999999999999999999", "[::1].evil.com", "[::1]x:80",
        "127.0.0.1:evil.com", "localhost:80:80", "localhost:-1", "[::1", "::1", "[::1]:evil.com"}) {
    EXPECT_EQ(host_name(wrong), std::nullopt) << wrong;
  }
}

TEST(PercentCoding, EncodesAllButUnreserved) {
  EXPECT_EQ(percent_encode("aZ09-_.~"), "aZ09-_.~");
  EXPECT_EQ(percent_encode("a b/c=d&e+f,%"), "a%20b%2Fc%3Dd%26e%2Bf%2C%25");
  EXPECT_EQ(percent_encode("\xc3\xa9\x01"), "%C3%A9%01");
}

TEST(PercentCoding, DecodesWhatItEncodes) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(all), false), all);
  EXPECT_EQ(percent_decode(percent_encode(all), true), all);
}

TEST(PercentCoding, PlusIsASpaceOnlyInQueries) {
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  EXPECT_EQ(percent_decode("%2f%2F", false), "//");
}

TEST(PercentCoding, RefusesBrokenEscapes) {
  EXPECT_EQ(percent_decode("%", false), std::nullopt);
  EXPECT_EQ(percent_decode("a%2", false), std::nullopt);
  EXPECT_EQ(percent_decode("%2g", false), std::nullopt);
  EXPECT_EQ(percent_decode("%-1", false), std::nullopt);
  EXPECT_EQ(percent_decode("", false), "");
}

}  // namespace
}  // namespace muster::net
