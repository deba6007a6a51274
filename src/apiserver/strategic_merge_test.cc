#include "apiserver/strategic_merge.h"

#include <gtest/gtest.h>

#include "api/resource.h"

namespace muster::apiserver {
namespace {

std::string merged(const std::string& target, const std::string& patch) {
  json::Document document = *json::parse(target);
  const auto done = strategic_merge(document, *json::parse(patch), *api::find_resource("", "v1", "pods")->type);
  return done ? json::serialize(document) : done.error().message;
}

TEST(StrategicMerge, ObjectsMergeAndNullRemoves) {
  EXPECT_EQ(merged(R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null,"c":"3"}}})"),
            R"({"metadata":{"labels":{"b":"2","c":"3"}}})");
}

TEST(StrategicMerge, ListsWithAKeyMergeByIt) {
  const char* pod = R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]},{"name":"b"}]}})";
  EXPECT_EQ(merged(pod, R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]},{"name":"c"}]}})"),
            R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y","value":"2"}]},)"
            R"({"name":"b"},{"name":"c"}]}})");
  EXPECT_EQ(merged(pod, R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})"),
            R"({"spec":{"containers":[{"name":"b"}]}})");
  EXPECT_EQ(merged(pod, R"({"spec":{"containers":[{"$patch":"replace"},{"name":"z"}]}})"),
            R"({"spec":{"containers":[{"name":"z"}]}})");
}

TEST(StrategicMerge, ListsWithoutAKeyAreReplaced) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[{"name":"a","args":["1","2"]}]}})",
                   R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})"),
            R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})");
  EXPECT_EQ(merged(R"({"spec":{"tolerations":[{"key":"a"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"),
            R"({"spec":{"tolerations":[{"key":"b"}]}})");
}

TEST(StrategicMerge, FinalizersOfMetadataAreAdded) {
  EXPECT_EQ(merged(R"({"metadata":{"finalizers":["a"]}})", R"({"metadata":{"finalizers":["b","a"]}})"),
            R"({"metadata":{"finalizers":["a","b"]}})");
  EXPECT_EQ(merged(R"({"metadata":{}})", R"({"metadata":{"finalizers":["b"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
}

TEST(StrategicMerge, PortsHaveTheKeyOfTheirPlace) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]}]}})",
                   R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":2,"name":"x"}]}]}})"),
            R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2,"name":"x"}]}]}})");
}

TEST(StrategicMerge, Directives) {
  EXPECT_EQ(merged(R"({"metadata":{"finalizers":["a","b"]}})",
                   R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["b"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
  EXPECT_EQ(merged(R"({"metadata":{"labels":{"a":"1"}}})", R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})"),
            R"({"metadata":{"labels":{"b":"2"}}})");
  EXPECT_EQ(merged(R"({"spec":{"volumes":[{"name":"v","emptyDir":{},"x":1}]}})",
                   R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/p"}}]}})"),
            R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/p"}}]}})");
}

TEST(StrategicMerge, AnItemWithoutItsKeyIsRefused) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[{"image":"i"}]}})"),
            R"(map: {"image":"i"} does not contain declared merge key: name)");
}

}  // namespace
}  // namespace muster::apiserver
