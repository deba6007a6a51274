#include "apiserver/apply/fields.h"

#include <gtest/gtest.h>

#include "api/resource.h"

namespace muster::apiserver::apply {
namespace {

using json::Document;

Document doc(const std::string& text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return *std::move(parsed);
}

MergeSchema schema_of(const char* group, const char* version, const char* plural) {
  const api::Resource* resource = api::find_resource(group, version, plural);
  CHECK(resource != nullptr);
  return MergeSchema(*resource);
}
MergeSchema pods() {
  return schema_of("", "v1", "pods");
}
MergeSchema jobs() {
  return schema_of("kubeflow.org", "v1", "pytorchjobs");
}

std::string fields(const MergeSchema& schema, const std::string& text) {
  return json::serialize(to_fields_v1(extract_fields(schema, doc(text))));
}

TEST(Fields, AReferenceHasOneOwner) {
  const char* owned = R"({"metadata":{"ownerReferences":[{"uid":"u","kind":"Job","name":"j"}]}})";
  for (const MergeSchema& schema : {pods(), jobs()}) {
    EXPECT_EQ(fields(schema, owned), R"({"f:metadata":{"f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}}})");
  }
}

TEST(Fields, ExtractFollowsTheSchema) {
  EXPECT_EQ(fields(pods(), R"({"metadata":{"labels":{"a":"1"},"finalizers":["x/y"]}})"),
            R"({"f:metadata":{"f:finalizers":{"v:\"x/y\"":{}},"f:labels":{"f:a":{}}}})");
  EXPECT_EQ(
      fields(pods(), R"({"spec":{"containers":[{"name":"a","args":["x"],"env":[{"name":"E","value":"1"}],)"
                     R"("ports":[{"containerPort":80}]}],"nodeSelector":{"a":"b"},"tolerations":[{"key":"k"}]}})"),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:args":{},"f:env":{"k:{\"name\":\"E\"}":)"
      R"({".":{},"f:name":{},"f:value":{}}},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":)"
      R"(\"TCP\"}":{".":{},"f:containerPort":{}}}}},"f:nodeSelector":{},"f:tolerations":{}}})");
  EXPECT_EQ(fields(pods(), R"({"spec":{"securityContext":{}}})"), R"({"f:spec":{"f:securityContext":{}}})");
}

TEST(Fields, ListsWithoutUsableKeysAreOneField) {
  EXPECT_EQ(fields(pods(), R"({"spec":{"containers":[{"name":"a"},{"name":"a"}]}})"),
            R"({"f:spec":{"f:containers":{}}})");
  EXPECT_EQ(fields(pods(), R"({"spec":{"containers":[{"image":"a"}]}})"), R"({"f:spec":{"f:containers":{}}})");
}

TEST(Fields, UnknownPartsOfCustomResourcesAreMapsAndWholeLists) {
  EXPECT_EQ(fields(jobs(), R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"template":{"spec":{"affinity":)"
                           R"({"x":{"y":[1]}},"containers":[{"name":"a","env":[{"name":"E"}]}]}}}}}})"),
            R"({"f:spec":{"f:pytorchReplicaSpecs":{"f:Worker":{".":{},"f:template":{"f:spec":{"f:affinity":{".":{},)"
            R"("f:x":{".":{},"f:y":{}}},"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:env":{},"f:name":{}}}}}}}}})");
}

TEST(Fields, CompareNamesEveryNodeThatCameOrWent) {
  const Changes changes = compare(pods(), doc(R"({"metadata":{"labels":{"a":"1"}},"spec":{"nodeName":"x"}})"),
                                  doc(R"({"metadata":{"annotations":{"b":"1"}},"spec":{"nodeName":"y"}})"));
  EXPECT_EQ(json::serialize(to_fields_v1(changes.added)), R"({"f:metadata":{"f:annotations":{".":{},"f:b":{}}}})");
  EXPECT_EQ(json::serialize(to_fields_v1(changes.removed)), R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}}})");
  EXPECT_EQ(json::serialize(to_fields_v1(changes.modified)), R"({"f:spec":{"f:nodeName":{}}})");
}

TEST(Fields, MergeTakesTheOrderOfTheConfiguration) {
  const auto names = [](const std::string& live, const std::string& config) {
    const auto containers = [](const std::string& letters) {
      json::Array items;
      for (const char c : letters) items.push_back(json::Object{{"name", std::string(1, c)}});
      return Document(json::Object{{"spec", json::Object{{"containers", items}}}});
    };
    std::string out;
    const Document merged = merge(pods(), containers(live), containers(config));
    for (const Document& item : merged.at("spec", "containers")->as_array()) out += item.string_at("name");
    return out;
  };
  EXPECT_EQ(names("abc", "ca"), "bca");
  EXPECT_EQ(names("ba", "xa"), "bxa");
  EXPECT_EQ(names("abcd", "ca"), "bcda");
  EXPECT_EQ(names("", "ab"), "ab");
  EXPECT_EQ(names("ab", ""), "ab");
}

TEST(Fields, LawsOfMerge) {
  const std::vector<std::string> samples = {
      R"({})",
      R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
      R"({"metadata":{"labels":{"a":"2"},"finalizers":["x/a"]}})",
      R"({"spec":{"containers":[{"name":"a","image":"1","args":["x"]},{"name":"b","ports":[{"containerPort":1}]}]}})",
      R"({"spec":{"containers":[{"name":"b","ports":[{"containerPort":2}]},{"name":"c"}],"nodeSelector":{"x":"y"}}})",
      R"({"metadata":{"finalizers":["x/b"]},"spec":{"nodeSelector":{"z":"y"},"hostNetwork":true}})",
  };
  for (const std::string& a : samples) {
    for (const std::string& b : samples) {
      const Document live = doc(a);
      const Document config = doc(b);
      const Document merged = merge(pods(), live, config);
      SCOPED_TRACE(a + " + " + b);
      EXPECT_EQ(merge(pods(), merged, config), merged);
      EXPECT_EQ(merge(pods(), live, live), live);
      // Everything the configuration names has its value.
      const FieldSet wanted = extract_fields(pods(), config);
      const Changes rest = compare(pods(), merged, config);
      EXPECT_TRUE(intersect(wanted, unite(rest.added, rest.modified)).empty());
      // Nothing but what the configuration names has changed.
      const Changes changes = compare(pods(), live, merged);
      EXPECT_TRUE(changes.removed.empty());
      EXPECT_TRUE(subtract(changes.modified, wanted).empty());
      EXPECT_TRUE(subtract(changes.added, with_declared_parents(pods(), wanted)).empty());
      // What is taken out is gone, and what was not named stays.
      Document without = merged;
      remove_fields(pods(), without, wanted);
      EXPECT_TRUE(intersect(extract_fields(pods(), without), wanted).empty());
    }
  }
}

TEST(Fields, ManyItemsMergeInTheirOrder) {
  const auto volumes = [](int from, int to) {
    std::string list;
    for (int i = from; i < to; ++i) list += (i == from ? "" : ",") + (R"({"name":"v)" + std::to_string(i) + "\"}");
    return list;
  };
  const auto pod = [](const std::string& list) { return doc(R"({"spec":{"volumes":[)" + list + "]}}"); };
  const std::string live = volumes(0, 1'000) + "," + volumes(40'000, 40'001);
  const Document merged = merge(pods(), pod(live), pod(volumes(1'000, 40'001)));
  EXPECT_TRUE(merged == pod(volumes(0, 40'001)));
}

}  // namespace
}  // namespace muster::apiserver::apply
