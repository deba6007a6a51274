#include "json/document.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

TEST(DocumentTest, KnowsItsKind) {
  EXPECT_EQ(Document().kind(), Kind::kNull);
  EXPECT_EQ(Document(true).kind(), Kind::kBool);
  EXPECT_EQ(Document(1).kind(), Kind::kInt);
  EXPECT_EQ(Document(1.5).kind(), Kind::kDouble);
  EXPECT_EQ(Document("x").kind(), Kind::kString);
  EXPECT_EQ(Document(Array{}).kind(), Kind::kArray);
  EXPECT_EQ(Document(Object{}).kind(), Kind::kObject);
  EXPECT_EQ(kind_name(Kind::kBool), "boolean");
  EXPECT_EQ(kind_name(Kind::kObject), "object");
}

TEST(DocumentTest, WalksMembers) {
  const Document pod = Object{{"metadata", Object{{"name", "w-0"}, {"generation", 3}}}, {"ready", true}};
  EXPECT_EQ(pod.string_at("metadata", "name"), "w-0");
  EXPECT_EQ(pod.int_at("metadata", "generation"), 3);
  EXPECT_TRUE(pod.bool_at("ready"));
  EXPECT_EQ(pod.at("metadata", "labels", "app"), nullptr);
  EXPECT_EQ(pod.at("ready", "no"), nullptr);
  EXPECT_EQ(pod.string_at("metadata", "generation"), "");
  EXPECT_EQ(pod.int_at("ready"), 0);
  EXPECT_EQ(Document(3).as_double(), 3.0);
}

TEST(DocumentTest, IndexingMakesObjectsAndMembers) {
  Document pod;
  pod["metadata"]["name"] = "w-0";
  pod["metadata"]["name"] = "w-1";
  EXPECT_EQ(serialize(pod), R"({"metadata":{"name":"w-1"}})");
}

TEST(DocumentDeathTest, ReadingAnotherKindIsABrokenInvariant) {
  EXPECT_DEATH(static_cast<void>(Document(1).as_string()), "broken invariant");
  EXPECT_DEATH(static_cast<void>(Document("x")["y"]), "broken invariant");
}

TEST(ObjectTest, SetReplacesInPlaceAndKeepsOrder) {
  Object object{{"b", 1}, {"a", 2}, {"b", 3}};
  EXPECT_EQ(object.size(), 2U);
  object.set("c", 4);
  object.set("a", 5);
  EXPECT_EQ(serialize(object), R"({"b":3,"a":5,"c":4})");
  EXPECT_TRUE(object.erase("a"));
  EXPECT_FALSE(object.erase("a"));
  EXPECT_TRUE(object.contains("c"));
  EXPECT_EQ(serialize(object), R"({"b":3,"c":4})");
}

TEST(DocumentEquality, IgnoresMemberOrderButNotKinds) {
  EXPECT_EQ(Document(Object{{"a", 1}, {"b", 2}}), Document(Object{{"b", 2}, {"a", 1}}));
  EXPECT_NE(Document(Object{{"a", 1}}), Document(Object{{"a", 1}, {"b", 2}}));
  EXPECT_NE(Document(Object{{"a", 1}}), Document(Object{{"b", 1}}));
  EXPECT_NE(Document(1), Document(1.0));
  EXPECT_NE(Document(0), Document(false));
  EXPECT_NE(Document(Array{1, 2}), Document(Array{2, 1}));
  EXPECT_EQ(Document(), Document(nullptr));
}

TEST(DocumentEquality, OfLargeObjectsIgnoresOrderToo) {
  Object forward;
  Object backward;
  for (int i = 0; i < 20'000; ++i) {
    forward.append(std::to_string(i), i);
    backward.append(std::to_string(19'999 - i), 19'999 - i);
  }
  EXPECT_EQ(Document(forward), Document(backward));
  backward.set("7", 8);
  EXPECT_NE(Document(forward), Document(backward));
}

TEST(Document, ArrayAtIsEmptyWhereThereIsNoArray) {
  const Document object = *parse(R"({"a":{"b":[1,2]},"c":"text"})");
  EXPECT_EQ(object.array_at("a", "b").size(), 2u);
  for (const char* key : {"a", "c", "d"}) EXPECT_TRUE(object.array_at(key).empty()) << key;
  EXPECT_TRUE(object.array_at("c", "b").empty());
}

}  // namespace
}  // namespace muster::json
