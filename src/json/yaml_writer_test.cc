#include <gtest/gtest.h>

#include "json/yaml.h"

namespace muster::json {
namespace {

std::string scalar(const Document& value) {
  std::string text = to_yaml(value);
  EXPECT_TRUE(text.ends_with('\n'));
  text.pop_back();
  return text;
}

TEST(ToYaml, LaysOutLikeKubectl) {
  const Document pod = Object{
      {"apiVersion", "v1"},
      {"metadata", Object{{"creationTimestamp", "2026-11-15T21:30:36Z"}, {"labels", Object{}}, {"name", "w-0"}}},
      {"spec", Object{{"containers", Array{Object{{"args", Array{"-c", "echo a: b"}}, {"image", "busybox:1.36"}},
                                           Object{{"command", Array{}}, {"name", "b"}}}},
                      {"nested", Array{Array{1, 2}, Array{Object{{"x", nullptr}}}}}}},
  };
  EXPECT_EQ(to_yaml(pod), R"(apiVersion: v1
metadata:
  creationTimestamp: "2026-11-15T21:30:36Z"
  labels: {}
  name: w-0
spec:
  containers:
  - args:
    - -c
    - 'echo a: b'
    image: busybox:1.36
  - command: []
    name: b
  nested:
  - - 1
    - 2
  - - x: null
)");
}

TEST(ToYaml, QuotesOnlyWhatWouldBeReadAsSomethingElse) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"plain", "plain"},     {"with space", "with space"},
      {"a:b", "a:b"},         {"-c", "-c"},
      {"a#b", "a#b"},         {"it's", "it's"},
      {"/bin/sh", "/bin/sh"}, {"1.2.3", "1.2.3"},
      {"true", "\"true\""},   {"no", "\"no\""},
      {"On", "\"On\""},       {"y", "\"y\""},
      {"null", "\"null\""},   {"~", "\"~\""},
      {"", "\"\""},           {"1", "\"1\""},
      {"0x1F", "\"0x1F\""},   {"1e3", "\"1e3\""},
      {".5", "\".5\""},       {"1_000", "\"1_000\""},
      {"12:30", "\"12:30\""}, {"2026-11-15", "\"2026-11-15\""},
      {"<<", "\"<<\""},       {"a: b", "'a: b'"},
      {"a #b", "'a #b'"},     {"- a", "'- a'"},
      {"[a]", "'[a]'"},       {"{a}", "'{a}'"},
      {"*a", "'*a'"},         {"&a", "'&a'"},
      {"!a", "'!a'"},         {"%a", "'%a'"},
      {"@a", "'@a'"},         {"'a'", "'''a'''"},
      {" a", "' a'"},         {"a ", "'a '"},
      {"a:", "'a:'"},         {"---", "'---'"},
      {"-", "'-'"},           {"?", "'?'"},
      {"a\tb", "\"a\\tb\""},  {"\x1b[0m", "\"\\x1B[0m\""},
      {"é😀", "é😀"},           {"\xe2\x80\xa8", "\"\\u2028\""},
  };
  for (const auto& [text, written] : cases) EXPECT_EQ(scalar(text), written);
}

TEST(ToYaml, WritesOtherScalarsAsJsonDoes) {
  EXPECT_EQ(scalar(nullptr), "null");
  EXPECT_EQ(scalar(true), "true");
  EXPECT_EQ(scalar(-5), "-5");
  EXPECT_EQ(scalar(0.5), "0.5");
  EXPECT_EQ(scalar(Array{}), "[]");
  EXPECT_EQ(scalar(Object{}), "{}");
}

TEST(ToYaml, WritesLinesAsBlocks) {
  EXPECT_EQ(to_yaml(Object{{"a", "x\ny"}, {"b", 1}}), "a: |-\n  x\n  y\nb: 1\n");
  EXPECT_EQ(to_yaml(Object{{"a", "x\n\n  y\n"}}), "a: |\n  x\n\n    y\n");
  EXPECT_EQ(to_yaml(Object{{"a", "x\n\n"}, {"b", 1}}), "a: |+\n  x\n\nb: 1\n");
  EXPECT_EQ(to_yaml(Object{{"a", Array{"x\n\ty"}}}), "a:\n- |-\n  x\n  \ty\n");
}

TEST(ToYaml, QuotesLinesThatABlockCannotShow) {
  EXPECT_EQ(scalar("x \ny"), "\"x \\ny\"");
  EXPECT_EQ(scalar("\nx"), "\"\\nx\"");
  EXPECT_EQ(scalar(" x\ny"), "\" x\\ny\"");
  EXPECT_EQ(scalar("x\r\ny"), "\"x\\r\\ny\"");
}

TEST(ToYaml, QuotesKeysToo) {
  EXPECT_EQ(to_yaml(Object{{"true", 1}, {"a b", 2}, {"", 3}, {"x\ny", 4}}),
            "\"true\": 1\na b: 2\n\"\": 3\n\"x\\ny\": 4\n");
  const std::string key(2000, 'k');
  EXPECT_EQ(to_yaml(Object{{key, 1}}), "? " + key + "\n: 1\n");
}

}  // namespace
}  // namespace muster::json
