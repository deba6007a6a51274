#include "apiserver/apply/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::apiserver::apply {
namespace {

FieldSet set_of(const std::string& fields_v1) {
  const auto parsed = json::parse(fields_v1);
  EXPECT_TRUE(parsed.has_value()) << fields_v1;
  auto set = FieldSet::from_fields_v1(*parsed);
  EXPECT_TRUE(set.has_value()) << fields_v1;
  return *std::move(set);
}

std::string text(const FieldSet& set) {
  return json::serialize(to_fields_v1(set));
}

TEST(FieldSet, KeepsKubernetesSpelling) {
  for (const char* fields : {
           R"({})",
           R"({"f:data":{".":{},"f:x":{}}})",
           R"({"f:spec":{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}})",
           R"({"f:metadata":{"f:finalizers":{"v:\"a\"":{}}}})",
       }) {
    EXPECT_EQ(text(set_of(fields)), fields);
  }
}

TEST(FieldSet, RefusesWhatIsNoPathElement) {
  for (const char* fields : {R"({"data":{}})", R"({"x:a":{}})", R"({"f:a":1})", R"([])"}) {
    EXPECT_FALSE(FieldSet::from_fields_v1(*json::parse(fields)).has_value()) << fields;
  }
}

TEST(FieldSet, PathsReadLikeKubernetes) {
  std::vector<std::string> paths;
  set_of(R"({"f:a":{".":{},"k:{\"name\":\"n\",\"port\":1}":{"f:b":{}}},"f:s":{"v:\"x\"":{}}})")
      .each_path([&](const std::string& path) { paths.push_back(path); });
  EXPECT_THAT(paths, ::testing::ElementsAre(".a", ".a[name=\"n\",port=1].b", ".s[=\"x\"]"));
}

TEST(FieldSet, AlgebraIsPathByPath) {
  const FieldSet a = set_of(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  const FieldSet b = set_of(R"({"f:a":{"f:b":{}},"f:d":{}})");
  EXPECT_EQ(text(unite(a, b)), R"({"f:a":{".":{},"f:b":{}},"f:c":{},"f:d":{}})");
  EXPECT_EQ(text(intersect(a, b)), R"({"f:a":{"f:b":{}}})");
  EXPECT_EQ(text(subtract(a, b)), R"({"f:a":{},"f:c":{}})");
  EXPECT_EQ(text(unite(subtract(a, b), intersect(a, b))), text(a));
  EXPECT_TRUE(subtract(a, a).empty());
}

TEST(FieldSet, ErasesAMemberButNotWhatIsBelow) {
  FieldSet set = set_of(R"({"f:metadata":{".":{},"f:labels":{".":{},"f:x":{}},"f:name":{}}})");
  set.erase_member({"f:metadata"});
  set.erase_member({"f:metadata", "f:name"});
  EXPECT_EQ(text(set), R"({"f:metadata":{"f:labels":{".":{},"f:x":{}}}})");
  set.erase("f:metadata");
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace muster::apiserver::apply
