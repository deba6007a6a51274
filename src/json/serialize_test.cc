#include <gtest/gtest.h>

#include <limits>

#include "json/document.h"

namespace muster::json {
namespace {

TEST(Serialize, WritesNumbersAsJavaScriptDoes) {
  const std::vector<std::pair<double, std::string>> cases = {
      {1.0, "1"},
      {-0.0, "0"},
      {100000.0, "100000"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {1.5e300, "1.5e+300"},
      {0.1, "0.1"},
      {0.000001, "0.000001"},
      {0.0000001, "1e-7"},
      {1.25e-9, "1.25e-9"},
      {123.456, "123.456"},
      {-2.5, "-2.5"},
      {5e-324, "5e-324"},
      {std::numeric_limits<double>::infinity(), "null"},
      {std::numeric_limits<double>::quiet_NaN(), "null"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(serialize(value), text);
}

TEST(Serialize, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(serialize(Document("a\"b\\c\n\r\t\b\f\x01/é😀")), R"("a\"b\\c\n\r\t\b\f\u0001/é😀")");
}

TEST(Serialize, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(serialize(Document("a\xff"
                               "b\xc3")),
            "\"a\xef\xbf\xbd"
            "b\xef\xbf\xbd\"");
  EXPECT_TRUE(parse(serialize(Document("\xed\xa0\x80\xf8"))).has_value());
}

TEST(Serialize, PrettyIndentsByTwo) {
  const Document d = Object{{"a", Array{1, Object{{"b", nullptr}}}}, {"c", Array{}}, {"d", Object{}}};
  EXPECT_EQ(serialize_pretty(d), R"({
  "a": [
    1,
    {
      "b": null
    }
  ],
  "c": [],
  "d": {}
})");
  EXPECT_EQ(serialize(d), R"({"a":[1,{"b":null}],"c":[],"d":{}})");
}

TEST(Serialize, AppendsToExistingText) {
  std::string out = "x=";
  append_serialized(Array{1, "a"}, out);
  EXPECT_EQ(out, "x=[1,\"a\"]");
}

TEST(Serialize, SpecialCharactersAreFoundAtEveryPlace) {
  std::vector<std::string> specials = {"\"", "\\", "\x7f", "\u00e9", "\U0001f600", "\xff"};
  for (char c = 0; c < 0x20; ++c) specials.emplace_back(1, c);
  for (const std::string& special : specials) {
    const std::string alone = serialize(special);
    const std::string written = alone.substr(1, alone.size() - 2);
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t after = 0; after < 20; ++after) {
        const std::string a(before, 'a');
        const std::string b(after, 'b');
        ASSERT_EQ(serialize(a + special + b), "\"" + a + written + b + "\"");
      }
    }
  }
}

}  // namespace
}  // namespace muster::json
