#include "json/yaml.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

/// The only document of a stream as JSON, or the message of the error.
std::string read(std::string_view text) {
  const auto documents = parse_yaml(text);
  if (!documents) {
    EXPECT_EQ(documents.error().reason, Reason::kBadRequest);
    return documents.error().message;
  }
  if (documents->size() != 1) return std::to_string(documents->size()) + " documents";
  return serialize((*documents)[0].value);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST(ParseYaml, ReadsCollections) {
  EXPECT_EQ(read("a: 1\nb:\n- x\n- y: 2\n  z: 3\nc: {d: [e, f]}\n"),
            R"({"a":1,"b":["x",{"y":2,"z":3}],"c":{"d":["e","f"]}})");
  EXPECT_EQ(read("b:\n\nc:"), R"({"b":null,"c":null})");
  EXPECT_EQ(read("a: []\nb: {}"), R"({"a":[],"b":{}})");
  EXPECT_EQ(read("? a\n: b"), R"({"a":"b"})");
  EXPECT_EQ(read(R"({"a":1,"b":["x"]})"), R"({"a":1,"b":["x"]})");
  EXPECT_EQ(read("a: 1\r\nb: 2\r\n"), R"({"a":1,"b":2})");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a: 1"),
            R"({"a":1})");
}

TEST(ParseYaml, ReadsPlainScalarsAsKubernetesDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"true", "true"},
      {"True", "true"},
      {"yes", "true"},
      {"On", "true"},
      {"false", "false"},
      {"NO", "false"},
      {"off", "false"},
      {"y", "\"y\""},
      {"n", "\"n\""},
      {"tRue", "\"tRue\""},
      {"null", "null"},
      {"~", "null"},
      {"NULL", "null"},
      {"nil", "\"nil\""},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"0x1F", "31"},
      {"-0x1F", "-31"},
      {"0o17", "15"},
      {"017", "15"},
      {"08", "8"},
      {"0b11", "3"},
      {"1_000", "1000"},
      {"1.5", "1.5"},
      {"1.0", "1"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e3", "1000"},
      {"1.2.3", "\"1.2.3\""},
      {"1e", "\"1e\""},
      {"0x", "\"0x\""},
      {".", "\".\""},
      {"1:30", "\"1:30\""},
      {"1e400", "\"1e400\""},
      {"1 2", "\"1 2\""},
      {"0x1G", "\"0x1G\""},
      {"2026-11-15", "\"2026-11-15\""},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709552000"},
      {"2026-11-15T21:30:36Z", "\"2026-11-15T21:30:36Z\""},
  };
  for (const auto& [text, json] : cases) {
    EXPECT_EQ(read("[" + text + "]"), "[" + json + "]") << text;
  }
}

TEST(ParseYaml, KeepsQuotedScalarsAsText) {
  EXPECT_EQ(read("- 'yes'\n- \"1\"\n- ''\n- 'it''s'\n- \"\\u00e9\\t\\x41\""), R"(["yes","1","","it's","é\tA"])");
  EXPECT_EQ(read(R"(["é\N", "\_\N\L", "\N"])"), "[\"é\xc2\x85\",\"\xc2\xa0\xc2\x85\xe2\x80\xa8\",\"\xc2\x85\"]");
  EXPECT_EQ(read("a: |\n  1\nb: >-\n  x\n  y\n\n  z\nc: |-\n  true\nd: |+\n  x\n\n"),
            R"({"a":"1\n","b":"x y\nz","c":"true","d":"x\n\n"})");
}

TEST(ParseYaml, HonoursTags) {
  EXPECT_EQ(read("- !!str 1\n- !!int \"0x10\"\n- !!float 2\n- !!bool 'yes'\n- !!null ''\n- !!binary aGk=\n- ! 3"),
            R"(["1",16,2,true,null,"hi","3"])");
  EXPECT_EQ(read("a: !!int x"), "line 1, column 4: \"x\" is not a !!int\na: !!int x\n   ^");
  EXPECT_EQ(first_line(read("a: !!binary '/w=='")), "line 1, column 4: !!binary must be base64 of UTF-8 text");
}

TEST(ParseYaml, TurnsKeysIntoTheirText) {
  EXPECT_EQ(read("1: a\ntrue: b\nnull: c\n0x1F: d"), R"({"1":"a","true":"b","null":"c","0x1F":"d"})");
}

TEST(ParseYaml, SplitsStreamsAndSkipsEmptyDocuments) {
  const auto documents = parse_yaml("---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\nc: 3\n");
  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 3U);
  EXPECT_EQ(serialize((*documents)[0].value), R"({"a":1})");
  EXPECT_EQ(serialize((*documents)[2].value), R"({"c":3})");
  EXPECT_EQ(read(""), "0 documents");
  EXPECT_EQ(read("# comment\n"), "0 documents");
}

TEST(ParseYaml, RemembersWhereEveryKeyAndItemStands) {
  const auto documents = parse_yaml("kind: Job\nspec:\n  replicaSpecs:\n  - type: Worker\n    é: {ü: 1, x: 2}\n");
  ASSERT_TRUE(documents.has_value());
  const auto& marks = (*documents)[0].marks;
  std::string all;
  for (const auto& [path, mark] : marks) {
    all += path + "@" + std::to_string(mark.line) + ":" + std::to_string(mark.column) + " ";
  }
  EXPECT_EQ(all,
            "@1:1 kind@1:1 spec@2:1 spec.replicaSpecs@3:3 spec.replicaSpecs[0]@4:5 spec.replicaSpecs[0].type@4:5 "
            "spec.replicaSpecs[0].é@5:5 spec.replicaSpecs[0].é.x@5:15 spec.replicaSpecs[0].é.ü@5:9 ");
}

TEST(ParseYaml, MarksInLaterDocumentsCountFromTheTopOfTheStream) {
  const auto documents = parse_yaml("a: 1\n---\n\nb: 2\n");
  ASSERT_TRUE(documents.has_value());
  EXPECT_EQ((*documents)[1].marks.at("b").line, 4);
}

TEST(YamlAliases, AreExpanded) {
  EXPECT_EQ(read("a: &x [1, 2]\nb: *x\nc: &k key\n*k : v"), R"({"a":[1,2],"b":[1,2],"c":"key","key":"v"})");
}

TEST(YamlAliases, MergeKeysYieldToTheMapsOwn) {
  EXPECT_EQ(read("base: &b {x: 1, y: 2}\nd:\n  <<: *b\n  y: 3\n"), R"({"base":{"x":1,"y":2},"d":{"y":3,"x":1}})");
  EXPECT_EQ(read("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}"),
            R"({"a":{"x":1},"b":{"x":2,"y":2},"c":{"x":1,"y":2}})");
  EXPECT_EQ(read("'<<': 1"), R"({"<<":1})");
  EXPECT_EQ(first_line(read("<<: 3")), "line 1, column 5: << takes a map, or a list of maps");
  EXPECT_EQ(first_line(read("<<: [3]")), "line 1, column 6: << takes a map, or a list of maps");
}

TEST(YamlTags, OfOtherProgramsAreRefused) {
  EXPECT_EQ(first_line(read("a: !custom x")), "line 1, column 4: tag \"!custom\" is not supported");
  EXPECT_EQ(first_line(read("a: !!python/object:os.system x")),
            "line 1, column 4: tag \"!!python/object:os.system\" is not supported");
  EXPECT_EQ(first_line(read("a: !thing {b: c}")), "line 1, column 4: tag \"!thing\" is not supported");
  EXPECT_EQ(first_line(read("a: !thing [b]")), "line 1, column 4: tag \"!thing\" is not supported");
}

TEST(YamlText, InUtf16IsNamedAsSuch) {
  EXPECT_EQ(read(std::string_view("\xff\xfe"
                                  "a\0:\0",
                                  6)),
            "the text is UTF-16; save it as UTF-8");
}

TEST(YamlDocuments, StrayTokensDoNotMakeEndlessDocuments) {
  for (const char* text :
       {"0,d}]\n...\n,0 {c: d}]\n", "---\nb: [1, {i: d}]\n...\n0,d}]\n...\n,0 {c: d}]\n...\nata:\n", "]\n"}) {
    EXPECT_FALSE(parse_yaml(text).has_value()) << text;
  }
}

TEST(YamlAliases, CannotExpandWithoutBound) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + ",";
    bomb += "]\n";
  }
  EXPECT_EQ(first_line(read(bomb)), "line 1, column 20: aliases expand to more than 10000 nodes");
  std::string heavy = "a: &a " + std::string(100'000, 'x') + "\nb: [";
  for (int i = 0; i < 50'000; ++i) heavy += "*a,";
  EXPECT_EQ(first_line(read(heavy + "]")), "line 1, column 4: aliases expand to more than 10000 nodes");
}

TEST(YamlAliases, CannotNestTooDeep) {
  // Each link adds four levels: a chain of single levels would reach the limit on nodes first.
  for (const std::string link : {"[[[[*a", "{<<: {<<: {<<: {<<: *a"}) {
    std::string chain = "a0: &a0 " + std::string(1, link[0]) + (link[0] == '[' ? "1]\n" : "x: 1}\n");
    for (int i = 1; i < 500; ++i) {
      const std::string name = "a" + std::to_string(i);
      chain += name + ": &" + name + " " + link + std::to_string(i - 1) + (link[0] == '[' ? "]]]]\n" : "}}}}\n");
    }
    EXPECT_TRUE(first_line(read(chain)).ends_with(": nested deeper than 200 levels"));
  }
}

TEST(YamlAliases, MustNotContainThemselves) {
  EXPECT_EQ(read("a: &x [1, *x]"),
            "line 1, column 11: alias refers to a node that contains it\na: &x [1, *x]\n          ^");
  EXPECT_EQ(first_line(read("a: *x")), "line 1, column 4: alias of an anchor that is not defined above");
}

TEST(YamlRepeatedKeys, WithTheSameValueWarn) {
  const auto documents = parse_yaml("a: 1\nb:\n  c: x\n  c: x\na: 1\n");
  ASSERT_TRUE(documents.has_value());
  EXPECT_EQ((*documents)[0].warnings,
            (std::vector<std::string>{"line 4: key \"c\" repeats line 3 with the same value",
                                      "line 5: key \"a\" repeats line 1 with the same value"}));
  EXPECT_EQ(serialize((*documents)[0].value), R"({"a":1,"b":{"c":"x"}})");
}

TEST(YamlRepeatedKeys, WithAnotherValueAreRefused) {
  EXPECT_EQ(read("spec:\n  image: a\n  args: []\n  image: b\n"),
            "line 4, column 3: key \"image\" is already set on line 2 to another value\n  image: b\n  ^");
}

TEST(YamlErrors, ShowTheLineWithACaret) {
  EXPECT_EQ(read("a: 1\nb: c: d\n"),
            "line 2, column 5: unexpected ':'; put a value that contains \": \" in quotes\nb: c: d\n    ^");
  EXPECT_EQ(read("ä: ö: 1"),
            "line 1, column 5: unexpected ':'; put a value that contains \": \" in quotes\nä: ö: 1\n    ^");
  EXPECT_EQ(read("a:\n\t- b"), "line 2, column 2: indented with a tab; use spaces\n\t- b\n\t^");
}

TEST(YamlErrors, ShowAWindowOfLongLines) {
  const std::string message = read("a: " + std::string(5000, 'x') + ": y");
  EXPECT_EQ(first_line(message), "line 1, column 5004: unexpected ':'; put a value that contains \": \" in quotes");
  EXPECT_LT(message.size(), 400U);
  EXPECT_TRUE(message.ends_with("\n" + std::string(80, ' ') + "^"));
}

TEST(YamlErrors, OfMissingColons) {
  EXPECT_EQ(read("a: 1\nb\nc: 2\n"), "line 2, column 1: expected ':' after this key\nb\n^");
  EXPECT_EQ(read("a: 1\nb"), "line 2, column 1: expected ':' after this key\nb\n^");
  EXPECT_EQ(read("spec:\n  replicas: 1\n  template\n    x: 1"),
            "line 3, column 3: expected ':' after this key\n  template\n  ^");
  EXPECT_EQ(read("- name\n  image: x"), "line 1, column 3: expected ':' after this key\n- name\n  ^");
  EXPECT_EQ(read("a: 1\n'b'\nc: 1"), "line 2, column 1: expected ':' after this key\n'b'\n^");
  EXPECT_EQ(read("a:\n- b\n-c"), "line 3, column 1: expected ':' after this key\n-c\n^");
  EXPECT_EQ(read("a:b\nc: 1"), "line 1, column 2: expected a space after ':'\na:b\n ^");
  EXPECT_EQ(first_line(read(": z")), "line 1, column 1: expected a key before ':'");
}

TEST(YamlErrors, OfIndentation) {
  EXPECT_EQ(first_line(read("a: 1\n b: 2")),
            "line 2, column 3: unexpected ':'; check the indentation and the line above");
  EXPECT_EQ(read("a:\n    b: 1\n  c: 2"),
            "line 3, column 3: the indentation of this line fits none of the lines above\n  c: 2\n  ^");
  EXPECT_EQ(first_line(read("- a\n- b: 1\n - c")),
            "line 3, column 2: the indentation of this line fits none of the lines above");
  EXPECT_EQ(
      first_line(read("- a\nb: c")),
      "line 2, column 1: text after the end of the value; check the indentation, or separate documents with \"---\"");
  EXPECT_EQ(first_line(read("key: - a")), "line 1, column 6: a list item must start on a line of its own");
}

TEST(YamlErrors, OfWhatIsNeverClosed) {
  EXPECT_EQ(read("a: [1, 2\nb: 3\n"), "line 1, column 4: '[' is never closed\na: [1, 2\n   ^");
  EXPECT_EQ(first_line(read("a: {x: 1")), "line 1, column 4: '{' is never closed");
  EXPECT_EQ(first_line(read("{a: [b, {c: d}")), "line 1, column 5: '[' is never closed");
  EXPECT_EQ(read("a: \"x\nb: 3\n"), "line 1, column 4: quoted text is never closed\na: \"x\n   ^");
  EXPECT_EQ(first_line(read("\"a\": 'x\nb: 3\n---\nc: 1")), "line 1, column 6: quoted text is never closed");
}

TEST(YamlErrors, OfStrayCharacters) {
  EXPECT_EQ(first_line(read("a: 1\n]")), "line 2, column 1: unexpected ']'");
  EXPECT_EQ(first_line(read("a: [x]y")), "line 1, column 7: unexpected 'y' after the value");
  EXPECT_EQ(first_line(read("a: 'x' y")), "line 1, column 8: unexpected 'y' after the value");
  EXPECT_EQ(first_line(read("a: @x")), "line 1, column 4: a value cannot start with '@'; put it in quotes");
  EXPECT_EQ(first_line(read("a: *")), "line 1, column 5: expected a name; put the value in quotes");
  EXPECT_EQ(first_line(read("[a,,b]")), "line 1, column 4: expected a value before ','");
  EXPECT_EQ(first_line(read("name: {{ .Values.x }}")),
            "line 1, column 8: a key must be text; put values with { } or [ ] in quotes");
  EXPECT_EQ(first_line(read("a: \"x\\q\"")),
            "line 1, column 8: unknown escape \"\\q\"; double each backslash that stands for itself");
  EXPECT_EQ(first_line(read("a: \"\\ud800\"")), "line 1, column 11: escape of a code that is not a character");
  EXPECT_EQ(first_line(read("a: -.inf")), "line 1, column 4: -.inf has no JSON form; put it in quotes");
}

TEST(YamlErrors, OfControlCharactersAndInvalidUtf8) {
  EXPECT_EQ(read("a: \x04\nb: 1"), "line 1, column 4: control character 0x04 is not allowed\na: ?\n   ^");
  EXPECT_EQ(read("a: 1\nb: \xff"), "line 2, column 4: invalid UTF-8");
}

TEST(YamlErrors, OfTextBeyondTheLimits) {
  EXPECT_EQ(read(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')),
            std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']'));
  for (const std::string opening : {"[", "{", "- ", "? ", "[a: "}) {
    std::string deep;
    for (int i = 0; i < 50'000; ++i) deep += opening;
    EXPECT_TRUE(first_line(read(deep)).ends_with(": nested deeper than 200 levels")) << opening;
  }
  std::string large;
  for (std::size_t i = 0; i <= kMaxMembers; ++i) large += "k" + std::to_string(i) + ": 0\n";
  EXPECT_EQ(first_line(read(large)), "line 20001, column 1: map has more than 20000 keys");
}

TEST(ParseYaml, TakesJsonThatIsNoYaml) {
  EXPECT_EQ(read(R"({"a": "\ud83d\ude00"})"), R"({"a":"😀"})");
  EXPECT_EQ(first_line(read(R"({"a": "\ud83d\ude00", })"
                            "\nx"))
                .substr(0, 5),
            "line ");
}

TEST(ParseYaml, TheLastOfRepeatedKeysWinsWhereTheyAreAllowed) {
  const auto documents = parse_yaml_leniently("a: 1\nb: {c: 1, c: 2}\na: 3\n");
  ASSERT_TRUE(documents.has_value()) << documents.error().message;
  EXPECT_EQ(serialize((*documents)[0].value), R"({"a":3,"b":{"c":2}})");
  EXPECT_EQ((*documents)[0].warnings,
            (std::vector<std::string>{"line 2: key \"c\" already set in map", "line 3: key \"a\" already set in map"}));
}

}  // namespace
}  // namespace muster::json
