#include "control/runtime/status_patch.h"

#include <gtest/gtest.h>

#include "json/patch.h"

namespace muster::control {
namespace {

std::string between(const char* before, const char* after) {
  const auto patch = merge_patch_between(*json::parse(before), *json::parse(after));
  return patch ? json::serialize(*patch) : "nothing";
}

TEST(StatusPatch, HoldsOnlyWhatChanged) {
  EXPECT_EQ(between(R"({"a":1,"b":{"c":2,"d":3}})", R"({"a":1,"b":{"c":2,"d":4}})"), R"({"b":{"d":4}})");
  EXPECT_EQ(between(R"({"a":[1]})", R"({"a":[1,2]})"), R"({"a":[1,2]})");
  EXPECT_EQ(between(R"({"a":1})", R"({"a":1})"), "nothing");
}

TEST(StatusPatch, NullsWhatIsGone) {
  EXPECT_EQ(between(R"({"a":1,"b":2})", R"({"a":1})"), R"({"b":null})");
}

TEST(StatusPatch, AppliedGivesTheNewDocument) {
  auto document = *json::parse(R"({"phase":"Running","next":"x","n":{"a":1,"b":2},"l":[1]})");
  const auto after = *json::parse(R"({"phase":"Failed","n":{"b":3,"c":{"d":1}},"l":[]})");
  json::merge_patch(document, *merge_patch_between(document, after));
  EXPECT_EQ(document, after);
}

}  // namespace
}  // namespace muster::control
