#include "apiserver/apply/managed_fields.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/resource.h"

namespace muster::apiserver::apply {
namespace {

using json::Document;
using ::testing::ElementsAre;

Document doc(const std::string& text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return *std::move(parsed);
}

Scope scope() {
  const api::Resource& pods = *api::find_resource("", "v1", "pods");
  return {MergeSchema(pods), {"f:status"}};
}

Owner writer(const std::string& manager, std::string_view operation, const std::string& time) {
  Owner owner;
  owner.manager = manager;
  owner.operation = operation;
  owner.api_version = "v1";
  owner.time = time;
  return owner;
}

Application application(const std::string& manager, const std::string& config, bool force = false,
                        const std::string& time = "2026-01-01T00:00:00Z") {
  Application wanted;
  wanted.config = doc(config);
  wanted.known = wanted.config;
  wanted.applier = writer(manager, kApply, time);
  wanted.force = force;
  return wanted;
}

std::vector<std::string> described(const Owners& owners) {
  std::vector<std::string> out;
  for (const Owner& owner : owners) {
    out.push_back(fmt::format("{} {}", owner.manager, json::serialize(to_fields_v1(owner.fields))));
  }
  return out;
}

Applied applied(const Document& live, const Owners& owners, Application wanted) {
  auto result = apply(scope(), live, owners, std::move(wanted));
  EXPECT_TRUE(result.has_value());
  return result ? *std::move(result) : Applied{};
}

constexpr const char* kA = R"({"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"x","image":"i"}]}})";

TEST(ManagedFields, EntriesSurviveTheirDocument) {
  const Document entries =
      doc(R"([{"manager":"a","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z",)"
          R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:x":{}}}},{"manager":"b","operation":)"
          R"("Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{}},)"
          R"("subresource":"status"}])");
  const auto owners = decode_owners(entries);
  ASSERT_TRUE(owners.has_value());
  EXPECT_EQ(encode_owners(*owners), entries);
  EXPECT_FALSE(decode_owners(doc(R"([{"manager":"a","operation":"Other"}])")).has_value());
  EXPECT_FALSE(decode_owners(doc(R"({})")).has_value());
}

TEST(ManagedFields, WritesOwnWhatTheyChange) {
  const Document first = doc(R"({"metadata":{"name":"p","labels":{"a":"1","b":"1"}},"status":{"phase":"Pending"}})");
  Owners owners = after_update(scope(), json::Object(), first, {}, writer("one", kUpdate, "1"));
  EXPECT_THAT(described(owners), ElementsAre(R"(one {"f:metadata":{"f:labels":{".":{},"f:a":{},"f:b":{}}}})"));
  const Document second = doc(R"({"metadata":{"name":"p","labels":{"a":"2"}},"status":{"phase":"Running"}})");
  owners = after_update(scope(), first, second, owners, writer("two", kUpdate, "2"));
  EXPECT_THAT(described(owners),
              ElementsAre(R"(one {"f:metadata":{"f:labels":{}}})", R"(two {"f:metadata":{"f:labels":{"f:a":{}}}})"));
  const Owners same = after_update(scope(), second, second, owners, writer("three", kUpdate, "3"));
  EXPECT_EQ(encode_owners(same), encode_owners(owners));
}

TEST(ManagedFields, TheOldestOfManyWritersBecomeOne) {
  Owners owners;
  Document now = json::Object();
  for (int i = 0; i < 30; ++i) {
    Document next = now;
    next["metadata"]["labels"][fmt::format("l{:02}", i)] = "1";
    owners =
        after_update(scope(), now, next, owners, writer(fmt::format("m{:02}", i), kUpdate, fmt::format("{:02}", i)));
    now = next;
  }
  ASSERT_EQ(owners.size(), 10u);
  FieldSet all;
  for (const Owner& owner : owners) all = unite(all, owner.fields);
  EXPECT_TRUE(subtract(extract_fields(scope().schema, now), all).empty());
  EXPECT_TRUE(std::ranges::any_of(owners, [](const Owner& owner) { return owner.manager == "ancient-changes"; }));
}

TEST(Apply, TheSameAgainChangesNothing) {
  const Applied first = applied(json::Object(), {}, application("a", kA));
  const Applied again = applied(first.object, first.owners, application("a", kA, false, "2027-01-01T00:00:00Z"));
  EXPECT_EQ(again.object, first.object);
  EXPECT_EQ(encode_owners(again.owners), encode_owners(first.owners));
}

TEST(Apply, TwoWhoAgreeShareAndNeitherRemovesAlone) {
  const Applied first = applied(json::Object(), {}, application("a", kA));
  const Applied both = applied(first.object, first.owners, application("b", kA));
  ASSERT_EQ(both.owners.size(), 2u);
  EXPECT_EQ(both.owners[0].fields, both.owners[1].fields);
  const Applied one = applied(both.object, both.owners, application("a", "{}"));
  EXPECT_EQ(one.object, first.object);
  const Applied none = applied(one.object, one.owners, application("b", "{}"));
  EXPECT_EQ(json::serialize(none.object), "{}");
  EXPECT_TRUE(none.owners.empty());
}

TEST(Apply, ConflictsAreNamedAndForceMovesOwnership) {
  const Applied first = applied(json::Object(), {}, application("a", kA));
  const std::string other = R"({"spec":{"containers":[{"name":"x","image":"j"}]}})";
  const auto refused = apply(scope(), first.object, first.owners, application("b", other));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  EXPECT_EQ(refused.error().message,
            "Apply failed with 1 conflict: conflict with \"a\": .spec.containers[name=\"x\"].image");
  EXPECT_THAT(refused.error().causes, ElementsAre(FieldCause{"FieldManagerConflict", "conflict with \"a\"",
                                                             ".spec.containers[name=\"x\"].image"}));
  const Applied forced = applied(first.object, first.owners, application("b", other, true));
  EXPECT_THAT(described(forced.owners),
              ElementsAre(R"(a {"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:containers":)"
                          R"({"k:{\"name\":\"x\"}":{".":{},"f:name":{}}}}})",
                          R"(b {"f:spec":{"f:containers":{"k:{\"name\":\"x\"}":{".":{},"f:image":{},"f:name":{}}}}})"));
}

TEST(Apply, YieldingFieldsAreTakenOver) {
  const Document live = doc(R"({"metadata":{"labels":{"a":"1"}}})");
  const Owners owners = after_update(scope(), json::Object(), live, {}, writer("csa", kUpdate, "1"));
  Application wanted = application("kubectl", R"({"metadata":{"labels":{"a":"2"}}})");
  wanted.yielding = extract_fields(scope().schema, live);
  EXPECT_TRUE(apply(scope(), live, owners, wanted).has_value());
  wanted.yielding = {};
  const auto refused = apply(scope(), live, owners, wanted);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "Apply failed with 1 conflict: conflict with \"csa\" using v1: .metadata.labels.a");
}

TEST(Apply, ADroppedItemStaysWhileOthersOwnPartOfIt) {
  const Applied first = applied(json::Object(), {}, application("a", kA));
  const Applied second =
      applied(first.object, first.owners, application("b", R"({"spec":{"containers":[{"name":"x","tty":true}]}})"));
  const Applied dropped =
      applied(second.object, second.owners, application("a", R"({"metadata":{"labels":{"a":"1"}}})"));
  EXPECT_EQ(dropped.object,
            doc(R"({"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"x","tty":true}]}})"));
}

}  // namespace
}  // namespace muster::apiserver::apply
