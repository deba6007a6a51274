#include "cli/objects/three_way.h"

#include <gtest/gtest.h>

#include "json/patch.h"

namespace muster::cli {
namespace {

json::Document parse(std::string_view text) {
  return *json::parse(text);
}

std::string patch(std::string_view original, std::string_view modified, std::string_view live) {
  return json::serialize(three_way_patch(parse(original), parse(modified), parse(live)));
}

TEST(ThreeWay, SetsWhatDiffers) {
  EXPECT_EQ(patch("null", R"({"a":1,"b":{"c":2}})", R"({"a":1,"b":{"c":3,"d":4}})"), R"({"b":{"c":2}})");
}

TEST(ThreeWay, DoesNothingWhenNothingDiffers) {
  EXPECT_EQ(patch("null", R"({"a":1,"b":{"c":2}})", R"({"b":{"c":2,"d":4},"a":1,"e":5})"), "{}");
}

TEST(ThreeWay, DeletesWhatTheUserTookAway) {
  EXPECT_EQ(patch(R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"c":2}})", R"({"a":1,"b":{"c":2,"d":3}})"),
            R"({"a":null,"b":{"d":null}})");
}

TEST(ThreeWay, LeavesWhatOthersSet) {
  EXPECT_EQ(patch(R"({"a":1})", R"({"a":1})", R"({"a":1,"status":{"phase":"Running"}})"), "{}");
}

TEST(ThreeWay, DoesNotDeleteWhatIsGoneAlready) {
  EXPECT_EQ(patch(R"({"a":1,"b":2})", R"({"b":2})", R"({"b":2})"), "{}");
}

TEST(ThreeWay, ReplacesAListAsAWhole) {
  EXPECT_EQ(patch(R"({"l":[1,2]})", R"({"l":[1,3]})", R"({"l":[1,2]})"), R"({"l":[1,3]})");
  EXPECT_EQ(patch(R"({"l":[1]})", R"({"l":[1,3]})", R"({"l":[1]})"), R"({"l":[1,3]})");
}

TEST(ThreeWay, DoesNotMindDefaultsInsideAList) {
  EXPECT_EQ(patch(R"({"l":[{"type":"worker"}]})", R"({"l":[{"type":"worker"}]})",
                  R"({"l":[{"type":"worker","replicas":1}]})"),
            "{}");
}

TEST(ThreeWay, ReplacesAListWhenAMemberOfAnItemWasTakenAway) {
  EXPECT_EQ(patch(R"({"l":[{"type":"worker","replicas":3}]})", R"({"l":[{"type":"worker"}]})",
                  R"({"l":[{"type":"worker","replicas":3}]})"),
            R"({"l":[{"type":"worker"}]})");
}

TEST(ThreeWay, UndoesDriftOfWhatTheUserWrote) {
  EXPECT_EQ(patch(R"({"a":1})", R"({"a":1})", R"({"a":2})"), R"({"a":1})");
}

TEST(ThreeWay, AppliedPatchGivesWhatTheUserWants) {
  const json::Document original = parse(R"({"s":{"x":1,"y":[{"n":1}]},"gone":true})");
  const json::Document modified = parse(R"({"s":{"x":2,"y":[{"n":1},{"n":2}]}})");
  json::Document live = parse(R"({"s":{"x":1,"y":[{"n":1,"d":9}],"z":3},"gone":true,"other":4})");
  json::merge_patch(live, three_way_patch(original, modified, live));
  EXPECT_EQ(json::serialize(live), R"({"s":{"x":2,"y":[{"n":1},{"n":2}],"z":3},"other":4})");
  EXPECT_EQ(json::serialize(three_way_patch(modified, modified, live)), "{}");
}

TEST(LastApplied, IsWhatKubectlWouldWrite) {
  const json::Document object = with_last_applied(parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"));
  EXPECT_EQ(object.string_at("metadata", "annotations", kLastAppliedAnnotation),
            "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"annotations\":{},\"name\":\"a\"}}\n");
  EXPECT_EQ(last_applied(object).string_at("metadata", "name"), "a");
}

TEST(LastApplied, DoesNotNestItself) {
  const json::Document once = with_last_applied(parse(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(with_last_applied(once), once);
}

TEST(LastApplied, LeavesAnnotationsThatAreNoneToTheServer) {
  const json::Document object = parse(R"({"metadata":{"annotations":"x"}})");
  EXPECT_EQ(with_last_applied(object), object);
}

TEST(LastApplied, IsNullWhenAbsentOrBroken) {
  EXPECT_TRUE(last_applied(parse(R"({"metadata":{}})")).is_null());
  json::Document object = parse(R"({"metadata":{"annotations":{}}})");
  object["metadata"]["annotations"][kLastAppliedAnnotation] = "{";
  EXPECT_TRUE(last_applied(object).is_null());
}

}  // namespace
}  // namespace muster::cli
