#include "base/strings.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Strings, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split("a,", ','), (std::vector<std::string>{"a", ""}));
}

TEST(Strings, JoinPutsTheSeparatorBetween) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Strings, TrimTakesWhiteSpaceOffBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(Strings, ToLowerLeavesOtherBytesAlone) {
  EXPECT_EQ(to_lower("PyTorchJob-\xc3\x84"), "pytorchjob-\xc3\x84");
}

TEST(Strings, ParseIntTakesWholeDecimalsInRange) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_EQ(parse_int("+7"), 7);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "+", "-", "+-1", "9223372036854775808", "1 ", " 1", "0x1", "1.0", "1e3"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
}

TEST(Strings, QuoteEscapesWhatWouldBreakALine) {
  EXPECT_EQ(quote("say \"hi\"\\\n\r\t\x01\x7f"), R"("say \"hi\"\\\n\r\t\x01\x7f")");
  EXPECT_EQ(quote("a\u202eb é 😀 \u200b"), R"("a\u202eb é 😀 \u200b")") << "what turns the text around or cannot be seen";
  EXPECT_EQ(quote("cut \xe2\x80"), R"("cut \xe2\x80")");
}

TEST(Strings, WildcardMatchesAnyRun) {
  EXPECT_TRUE(wildcard_match("*", ""));
  EXPECT_TRUE(wildcard_match("mnist-*-0", "mnist-worker-0"));
  EXPECT_TRUE(wildcard_match("*a*b", "xaxbxb"));
  EXPECT_FALSE(wildcard_match("mnist-*", "cifar-0"));
  EXPECT_FALSE(wildcard_match("", "a"));
  EXPECT_FALSE(wildcard_match("a", "ab"));
}

TEST(Strings, WildcardWithManyStarsStaysQuick) {
  EXPECT_FALSE(wildcard_match("*a*a*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

TEST(Strings, DidYouMeanFindsTheNearestWord) {
  const std::vector<std::string> kinds = {"pods", "nodes", "pytorchjobs", "mpijobs"};
  EXPECT_EQ(did_you_mean("pytorchjob", kinds), "pytorchjobs");
  EXPECT_EQ(did_you_mean("PyTochJobs", kinds), "pytorchjobs");
  EXPECT_EQ(did_you_mean("pdos", kinds), "pods");
  EXPECT_EQ(did_you_mean("nodse", kinds), "nodes");
  EXPECT_EQ(did_you_mean("secrets", kinds), std::nullopt);
  EXPECT_EQ(did_you_mean("", kinds), std::nullopt);
  EXPECT_EQ(did_you_mean("x", {"a", "b"}), std::nullopt);
  EXPECT_EQ(did_you_mean("pyt", kinds), "pytorchjobs") << "a word cut short";
  EXPECT_EQ(did_you_mean("repl", {"replicas", "replicaSpecs"}), std::nullopt) << "it could be either";
}

TEST(Strings, DnsLabels) {
  EXPECT_TRUE(is_dns_label("a-1"));
  EXPECT_TRUE(is_dns_label(std::string(63, 'a')));
  for (const std::string& text : {std::string(), std::string("-a"), std::string("a-"), std::string("A"),
                                  std::string("a.b"), std::string("a_b"), std::string(64, 'a')}) {
    EXPECT_FALSE(is_dns_label(text)) << text;
  }
}

TEST(Strings, DnsSubdomains) {
  EXPECT_TRUE(is_dns_subdomain("kubeflow.org"));
  EXPECT_TRUE(is_dns_subdomain("a"));
  for (const std::string& text : {std::string(), std::string("a..b"), std::string(".a"), std::string("a-.b"),
                                  std::string("Kubeflow.org"), std::string(254, 'a')}) {
    EXPECT_FALSE(is_dns_subdomain(text)) << text;
  }
}

TEST(Strings, LabelValuesAndKeys) {
  EXPECT_TRUE(is_label_value(""));
  EXPECT_TRUE(is_label_value("MyValue_1.0-b"));
  EXPECT_FALSE(is_label_value("-a"));
  EXPECT_FALSE(is_label_value("a b"));
  EXPECT_FALSE(is_label_value(std::string(64, 'a')));
  EXPECT_TRUE(is_qualified_name("training.kubeflow.org/replica-type"));
  EXPECT_TRUE(is_qualified_name("app"));
  for (const char* text : {"", "/a", "a/", "A.b/c", "a/b/c", "a b"}) EXPECT_FALSE(is_qualified_name(text)) << text;
}

TEST(Strings, HexIsLowerCase) {
  EXPECT_EQ(hex(std::string_view("\x00\xab\xff", 3)), "00abff");
}

TEST(Strings, Base64FollowsTheRfcVectors) {
  const std::vector<std::pair<std::string, std::string>> vectors = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xff\xef", "/+8="},
  };
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(base64_encode(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
}

TEST(Strings, Base64RejectsTextThatIsNotCanonical) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm9v\n"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "====", "Zm 9"}) {
    EXPECT_EQ(base64_decode_leniently(text), std::nullopt) << text;
  }
  EXPECT_EQ(base64_decode_leniently("Zh=="), "f");
  EXPECT_EQ(base64_decode_leniently("Zm\n9v\r\n"), "foo");
}

}  // namespace
}  // namespace muster
