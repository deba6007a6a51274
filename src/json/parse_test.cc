#include <gtest/gtest.h>

#include "json/document.h"

namespace muster::json {
namespace {

std::string error_of(std::string_view text) {
  const Result<Document> result = parse(text);
  if (result) return "parsed: " + serialize(*result);
  EXPECT_EQ(result.error().reason, Reason::kBadRequest);
  return result.error().message;
}

std::string round(std::string_view text) {
  const Result<Document> result = parse(text);
  return result ? serialize(*result) : result.error().message;
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parse, KeepsOrderAndExactIntegers) {
  EXPECT_EQ(round(R"( {"b":1, "a":[true,false,null,"x"], "n":9223372036854775807,"m":-9223372036854775808} )"),
            R"({"b":1,"a":[true,false,null,"x"],"n":9223372036854775807,"m":-9223372036854775808})");
}

TEST(Parse, TakesAnyValueAtTheTop) {
  EXPECT_EQ(round("1"), "1");
  EXPECT_EQ(round(" \"x\" "), "\"x\"");
  EXPECT_EQ(round("null"), "null");
}

TEST(Parse, ReadsWholeNumbersAsIntegersHoweverWritten) {
  EXPECT_EQ(*parse("1.0"), Document(1));
  EXPECT_EQ(*parse("1e3"), Document(1000));
  EXPECT_EQ(*parse("-0.0"), Document(0));
  EXPECT_EQ(*parse("1e-999"), Document(0));
  EXPECT_EQ(*parse("0.1"), Document(0.1));
  EXPECT_EQ(*parse("9223372036854775808"), Document(9223372036854775808.0));
  EXPECT_EQ(*parse("123456789012345678901234567890"), Document(123456789012345678901234567890.0));
}

TEST(Parse, ReadsDoublesExactly) {
  for (const double value : {0.1, 1e-300, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 123456.789e-12,
                             8.988465674311579e307, 9007199254740993.5}) {
    EXPECT_EQ(*parse(serialize(Document(value))), *parse(serialize(*parse(serialize(Document(value))))));
    EXPECT_EQ(parse(serialize(Document(value)))->as_double(), value);
  }
}

TEST(Parse, UnescapesStrings) {
  EXPECT_EQ(parse(R"("a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")")->as_string(), "a\"\\/\b\f\n\r\té😀");
}

TEST(ParseErrors, NameLineAndColumn) {
  EXPECT_EQ(error_of("{\"a\": 1,\n  \"b\": }"), "line 2, column 8: unexpected \"}\"");
  EXPECT_EQ(error_of("{\"é\": x}"), "line 1, column 7: unexpected \"x\"");
  EXPECT_EQ(error_of("{\"a\" 1}"), "line 1, column 6: unexpected \"1\"");
  EXPECT_EQ(error_of("[1,]"), "line 1, column 4: unexpected \"]\"");
  EXPECT_EQ(error_of("{} x"), "line 1, column 4: unexpected \"x\" after the value");
  EXPECT_EQ(error_of("'a'"), "line 1, column 1: unexpected \"'\"");
  EXPECT_EQ(error_of("[01]"), "line 1, column 3: unexpected \"1\"");
  EXPECT_EQ(error_of("[NaN]"), "line 1, column 2: unexpected \"N\"");
  EXPECT_EQ(error_of("{\"a\": \"x\ny\"}"), "line 1, column 9: unexpected \"\\n\"");
  EXPECT_EQ(error_of("// c\n1"), "line 1, column 1: unexpected \"/\"");
}

TEST(ParseErrors, OfTextThatEndsEarly) {
  EXPECT_EQ(error_of(""), "line 1, column 1: the text ends in the middle of a value");
  EXPECT_EQ(error_of("{\"a\":\n[1,"), "line 2, column 4: the text ends in the middle of a value");
  EXPECT_EQ(error_of("\"abc"), "line 1, column 5: the text ends in the middle of a value");
}

TEST(ParseErrors, OfBadCharacters) {
  EXPECT_EQ(error_of("[\"a\xff\"]"), "line 1, column 4: unexpected invalid UTF-8");
  EXPECT_EQ(error_of("[\"\xc0\x80\"]"), "line 1, column 3: unexpected invalid UTF-8");
  EXPECT_EQ(error_of(R"(["\ud800\u0041"])"), "line 1, column 11: \\u escape is half of a surrogate pair");
  EXPECT_EQ(error_of(R"(["\u00g0"])"), "line 1, column 7: \\u needs four hex digits");
  EXPECT_EQ(error_of("[1e999]"), "line 1, column 2: number is out of range");
}

TEST(ParseErrors, OfRepeatedKeys) {
  EXPECT_EQ(error_of("{\"a\": 1,\n \"a\": 1}"), "line 2, column 2: key \"a\" appears twice in the same object");
  std::string large = "{";
  for (int i = 0; i < 1000; ++i) large += "\"k" + std::to_string(i) + "\": 0, ";
  EXPECT_EQ(error_of(large + "\"k5\": 1}"), "line 1, column 10892: key \"k5\" appears twice in the same object");
  EXPECT_EQ(round(R"({"a":{"a":1},"b":{"a":1}})"), R"({"a":{"a":1},"b":{"a":1}})");
}

TEST(ParseErrors, OfTextBeyondTheLimits) {
  EXPECT_TRUE(parse(repeat("[", kMaxDepth) + repeat("]", kMaxDepth)).has_value());
  EXPECT_EQ(error_of(repeat("[", kMaxDepth + 1) + repeat("]", kMaxDepth + 1)),
            "line 1, column 201: nested deeper than 200 levels");
  EXPECT_EQ(error_of(repeat("{\"a\":", 100'000)), "line 1, column 1001: nested deeper than 200 levels");
  std::string large = "{";
  for (std::size_t i = 0; i <= kMaxMembers; ++i) large += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  EXPECT_NE(error_of(large + "}").find("object has more than 20000 members"), std::string::npos);
}

TEST(Parse, TheLastOfRepeatedKeysWinsWhereTheyAreAllowed) {
  std::vector<std::string> repeated;
  const auto parsed = parse(R"({"a":1,"b":{"c":[{"d":1},{"d":{"x":1},"e":2,"d":{"y":2,"y":3}}]},"a":[4]})", repeated);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(serialize(*parsed), R"({"a":[4],"b":{"c":[{"d":1},{"d":{"y":3},"e":2}]}})");
  EXPECT_EQ(repeated, (std::vector<std::string>{"b.c[1].d", "b.c[1].d.y", "a"}));
}

TEST(Parse, ManyRepeatedKeysAreReportedUpToALimit) {
  std::string text = "{";
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(round) + ",";
  }
  text.back() = '}';
  std::vector<std::string> repeated;
  const auto parsed = parse(text, repeated);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->as_object().size(), 1000U);
  EXPECT_EQ(parsed->int_at("k999"), 1);
  EXPECT_EQ(repeated.size(), 100U);
}

}  // namespace
}  // namespace muster::json
