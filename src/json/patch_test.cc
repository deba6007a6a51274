#include "json/patch.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace muster::json {
namespace {

Document doc(std::string_view text) {
  return *parse(text);
}

std::string merged(std::string_view target, std::string_view patch) {
  Document d = doc(target);
  merge_patch(d, doc(patch));
  return serialize(d);
}

std::string patched(std::string_view target, std::string_view operations) {
  const Result<Document> result = json_patch(doc(target), doc(operations));
  return result ? serialize(*result) : std::string(reason_name(result.error().reason)) + ": " + result.error().message;
}

TEST(MergePatch, FollowsTheExamplesOfTheRfc) {
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), R"({})");
  EXPECT_EQ(merged(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":"c"})", R"({"a":["b"]})"), R"({"a":["b"]})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merged(R"({"a":"foo"})", R"(null)"), R"(null)");
  EXPECT_EQ(merged(R"({"e":null})", R"({"a":1})"), R"({"e":null,"a":1})");
  EXPECT_EQ(merged(R"([1,2])", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(JsonPatch, AppliesEveryOperation) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])"), R"({"a":1,"b":2})");
  EXPECT_EQ(patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])"), R"({"a":[1,2,3]})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])"), R"({"a":[1,2]})");
  EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])"), R"({"b":2})");
  EXPECT_EQ(patched(R"([1,2,3])", R"([{"op":"remove","path":"/1"}])"), R"([1,3])");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"b":2}}])"), R"({"a":{"b":2}})");
  EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])"), R"({"a":{},"c":1})");
  EXPECT_EQ(patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"a":[1],"b":[1]})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":[]}])"), R"([])");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/b","value":2}])"), R"({"a":1,"b":2})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a/b":{"m~n":1}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":2}])"),
            R"({"a/b":{"m~n":2}})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])"), R"({"a":1})");
}

TEST(JsonPatch, ReportsWhichOperationFailedAndWhy) {
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}])"),
            R"(Invalid: operation 1 (remove): path "/b" does not exist)");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])"),
            R"(Invalid: operation 0 (test): test failed: "/a" has another value)");
  EXPECT_EQ(patched("[1]", R"([{"op":"add","path":"/2","value":2}])"),
            R"(Invalid: operation 0 (add): path "/2" does not exist)");
  EXPECT_EQ(patched("[1]", R"([{"op":"replace","path":"/1","value":2}])"),
            R"(Invalid: operation 0 (replace): path "/1" does not exist)");
  EXPECT_EQ(patched("[1]", R"([{"op":"replace","path":"/00","value":2}])"),
            R"(Invalid: operation 0 (replace): path "/00" does not exist)");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"/a/b","value":2}])"),
            R"(Invalid: operation 0 (add): path "/a/b" does not exist)");
  EXPECT_EQ(patched(R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"),
            R"(Invalid: operation 0 (move): cannot move "/a" into itself, to "/a/b")");
}

TEST(JsonPatch, RejectsInvalidPatches) {
  EXPECT_EQ(patched("{}", "{}"), "BadRequest: JSON patch must be an array of operations, got object");
  EXPECT_EQ(patched("{}", "[1]"), "BadRequest: operation 0: must be an object, got integer");
  EXPECT_EQ(patched("{}", "[{}]"), R"(Invalid: operation 0: "op" must be a string)");
  EXPECT_EQ(patched("{}", R"([{"op":"patch","path":""}])"),
            R"(Invalid: operation 0: "op" must be one of add, remove, replace, move, copy, test, got "patch")");
  EXPECT_EQ(patched("{}", R"([{"op":"remove"}])"), R"(Invalid: operation 0: "path" must be a JSON pointer string)");
  EXPECT_EQ(
      patched("{}", R"([{"op":"remove","path":"a"}])"),
      R"(Invalid: operation 0: "path" is not a JSON pointer, got "a"; it must be empty or start with "/", with ~0 for ~ and )"
      R"(~1 for / in names)");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"/a"}])"), R"(Invalid: operation 0: "value" is required for add)");
}

TEST(JsonPatch, CannotGrowADocumentWithoutBound) {
  std::string doubling = R"([{"op":"add","path":"/a","value":[")" + std::string(1000, 'x') + "\"]}";
  for (int i = 0; i < 40; ++i) doubling += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_EQ(patched("{}", doubling + "]").substr(0, 22), "RequestEntityTooLarge:");
  std::string nesting = R"([{"op":"add","path":"/a","value":{}})";
  for (int i = 0; i < 300; ++i)
    nesting += R"(,{"op":"add","path":"/b","value":{}},{"op":"move","from":"/a","path":"/b/a"},)"
               R"({"op":"move","from":"/b","path":"/a"})";
  EXPECT_NE(patched("{}", nesting + "]").find("the result would be nested deeper than 200 levels"), std::string::npos);
}

TEST(JsonPatch, PointersWalkMembersAndItems) {
  const std::string d = R"({"a":[{"b/c":7}],"":8})";
  const auto tests = [&](const std::string& pointer, const std::string& value) {
    return patched(d, R"([{"op":"test","path":")" + pointer + R"(","value":)" + value + "}]") == d;
  };
  EXPECT_TRUE(tests("/a/0/b~1c", "7"));
  EXPECT_TRUE(tests("/", "8"));
  EXPECT_TRUE(tests("", d));
  for (const char* pointer : {"a", "/x", "/a/1", "/a/-", "/a/0/b~2c", "/a/0/b/c", "/a/+0"}) {
    EXPECT_FALSE(tests(pointer, "7")) << pointer;
  }
}

std::string repeated(const std::string& operation, int times) {
  std::string list = "[";
  for (int i = 0; i < times; ++i) list += (i == 0 ? "" : ",") + operation;
  return list + "]";
}

std::string long_list(int items) {
  std::string list = "[0";
  for (int i = 1; i < items; ++i) list += ",0";
  return list + "]";
}

TEST(JsonPatch, CannotSearchLargeObjectsWithoutBound) {
  std::string target = R"({"a":{"k":0)";
  for (int i = 0; i < 15'000; ++i) target += fmt::format(R"(,"k{}":0)", i);
  target += "}}";
  for (const char* operation :
       {R"({"op":"add","path":"/a/k14999","value":1})", R"({"op":"replace","path":"/a/no","value":1})",
        R"({"op":"test","path":"/a/k14999","value":0})"}) {
    EXPECT_EQ(patched(target, repeated(operation, 10'000)).substr(0, 32), "RequestEntityTooLarge: operation")
        << operation;
    EXPECT_EQ(patched(target, repeated(operation, 1'000)).substr(0, 5), R"({"a":)") << operation;
  }
}

TEST(JsonPatch, CannotShiftLongListsWithoutBound) {
  const std::string target = R"({"a":)" + long_list(100'000) + "}";
  EXPECT_EQ(patched(target, repeated(R"({"op":"add","path":"/a/0","value":1})", 10'000)).substr(0, 32),
            "RequestEntityTooLarge: operation");
  EXPECT_EQ(patched(target, repeated(R"({"op":"remove","path":"/a/0"})", 10'000)).substr(0, 32),
            "RequestEntityTooLarge: operation");
  const std::string to_and_fro = R"({"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"})";
  EXPECT_EQ(patched(target, repeated(to_and_fro, 5'000)).substr(0, 32), "RequestEntityTooLarge: operation");
  EXPECT_EQ(patched(target, repeated(R"({"op":"add","path":"/a/-","value":1})", 10'000)).substr(0, 8), R"({"a":[0,)")
      << "the end of a list is cheap";
}

TEST(MergePatch, ManyMembersAtOnce) {
  const auto members = [](int from, int to, const std::string& value) {
    std::string out = "{";
    for (int i = from; i < to; ++i) out += (i == from ? "\"k" : ",\"k") + std::to_string(i) + "\":" + value;
    return out + "}";
  };
  Document target = doc(members(0, 20'000, "1"));
  merge_patch(target, doc(members(10'000, 30'000, "2")));
  EXPECT_EQ(target.as_object().size(), 30'000u);
  EXPECT_EQ(target.int_at("k9999"), 1);
  EXPECT_EQ(target.int_at("k10000"), 2);
  merge_patch(target, doc(members(5, 20'005, "null")));
  merge_patch(target, doc(members(20'005, 30'000, "null")));
  EXPECT_EQ(serialize(target), R"({"k0":1,"k1":1,"k2":1,"k3":1,"k4":1})");
}

std::string between(std::string_view before, std::string_view after) {
  const auto patch = merge_patch_between(doc(before), doc(after));
  return patch ? serialize(*patch) : "nothing";
}

TEST(MergePatchBetween, HoldsOnlyWhatChanged) {
  EXPECT_EQ(between(R"({"a":1,"b":{"c":2,"d":3}})", R"({"a":1,"b":{"c":2,"d":4}})"), R"({"b":{"d":4}})");
  EXPECT_EQ(between(R"({"a":[1]})", R"({"a":[1,2]})"), R"({"a":[1,2]})");
  EXPECT_EQ(between(R"({"a":1})", R"({"a":1})"), "nothing");
}

TEST(MergePatchBetween, NullsWhatIsGone) {
  EXPECT_EQ(between(R"({"a":1,"b":2})", R"({"a":1})"), R"({"b":null})");
}

TEST(MergePatchBetween, AppliedGivesTheNewDocument) {
  Document document = doc(R"({"phase":"Running","next":"x","n":{"a":1,"b":2},"l":[1]})");
  const Document after = doc(R"({"phase":"Failed","n":{"b":3,"c":{"d":1}},"l":[]})");
  merge_patch(document, *merge_patch_between(document, after));
  EXPECT_EQ(document, after);
}

}  // namespace
}  // namespace muster::json
