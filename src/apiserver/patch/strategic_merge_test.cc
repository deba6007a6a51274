#include "apiserver/patch/strategic_merge.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

std::string merged(const std::string& target, const std::string& patch, const char* kind = "Pod") {
  json::Document document = *json::parse(target);
  const auto done = strategic_merge(document, *json::parse(patch), &api::kubernetes::message_named(kind));
  return done ? json::serialize(document) : done.error().message;
}

TEST(StrategicMerge, ObjectsMergeAndNullRemoves) {
  EXPECT_EQ(merged(R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null,"c":"3"}}})"),
            R"({"metadata":{"labels":{"b":"2","c":"3"}}})");
}

TEST(StrategicMerge, ListsWithAKeyMergeByIt) {
  const char* pod = R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]},{"name":"b"}]}})";
  EXPECT_EQ(merged(pod, R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]},{"name":"c"}]}})"),
            R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"},{"name":"X","value":"1"}]},)"
            R"({"name":"c"},{"name":"b"}]}})");
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
            R"({"metadata":{"finalizers":["b","a"]}})");
  EXPECT_EQ(merged(R"({"metadata":{}})", R"({"metadata":{"finalizers":["b"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
}

TEST(StrategicMerge, PortsHaveTheKeyOfTheirPlace) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]}]}})",
                   R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":2,"name":"x"}]}]}})"),
            R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2,"name":"x"}]}]}})");
}

TEST(StrategicMerge, OneNameMayMergeInOneKindAndBeReplacedInAnother) {
  const char* pod = R"({"spec":{"imagePullSecrets":[{"name":"a"}]}})";
  EXPECT_EQ(merged(pod, R"({"spec":{"imagePullSecrets":[{"name":"b"}]}})"),
            R"({"spec":{"imagePullSecrets":[{"name":"b"},{"name":"a"}]}})");
  EXPECT_EQ(
      merged(R"({"imagePullSecrets":[{"name":"a"}]})", R"({"imagePullSecrets":[{"name":"b"}]})", "ServiceAccount"),
      R"({"imagePullSecrets":[{"name":"b"}]})");
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

TEST(StrategicMerge, TheOrderOfElementsIsSet) {
  const char* pod = R"({"spec":{"volumes":[{"name":"a"},{"name":"b"},{"name":"c"}]}})";
  EXPECT_EQ(merged(pod, R"({"spec":{"$setElementOrder/volumes":[{"name":"c"},{"name":"a"}]}})"),
            R"({"spec":{"volumes":[{"name":"b"},{"name":"c"},{"name":"a"}]}})");
  EXPECT_EQ(
      merged(pod, R"({"spec":{"$setElementOrder/volumes":[{"name":"d"},{"name":"a"}],"volumes":[{"name":"d"}]}})"),
      R"({"spec":{"volumes":[{"name":"d"},{"name":"a"},{"name":"b"},{"name":"c"}]}})");
  EXPECT_EQ(merged(R"({"spec":{"x":1}})", R"({"spec":{"$setElementOrder/volumes":[{"name":"d"}]}})"),
            R"({"spec":{"x":1}})");
  EXPECT_EQ(merged(pod, R"({"spec":{"$setElementOrder/volumes":[{"name":"a"}],"volumes":[{"name":"d"}]}})"),
            R"(the order in patch list [{"name":"d"}]: does not match $setElementOrder/volumes: [{"name":"a"}])");
  EXPECT_EQ(merged(pod, R"({"spec":{"$setElementOrder/volumes":7}})"),
            "$setElementOrder/volumes: must be a list, like the list that it orders");
}

TEST(StrategicMerge, ManyItemsAndValuesAtOnce) {
  const auto list = [](const std::string& before, const std::string& after, bool backwards) {
    std::string out = "[";
    for (int i = 0; i < 10'000; ++i) {
      out += (i == 0 ? "" : ",") + before + std::to_string(backwards ? 9'999 - i : i) + after;
    }
    return out + "]";
  };
  const std::string items = list(R"({"name":"n)", "\"}", false);
  const std::string values = list("\"x.dev/v", "\"", false);
  const std::string target = R"({"metadata":{"finalizers":)" + values + R"(},"spec":{"volumes":)" + items + "}}";
  const std::string back_items = list(R"({"name":"n)", "\"}", true);
  const std::string back_values = list("\"x.dev/v", "\"", true);
  const std::string turned =
      R"({"metadata":{"finalizers":)" + back_values + R"(},"spec":{"volumes":)" + back_items + "}}";
  EXPECT_TRUE(merged(target, turned) == turned);
  const std::string gone = R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)" + values +
                           R"(},"spec":{"volumes":)" + list(R"({"$patch":"delete","name":"n)", "\"}", true) + "}}";
  EXPECT_EQ(merged(target, gone), R"({"metadata":{"finalizers":[]},"spec":{"volumes":[]}})");
}

TEST(StrategicMerge, AListHasABound) {
  std::string items;
  for (int i = 0; i <= 10'000; ++i) items += (i == 0 ? "" : ",") + (R"({"name":"n)" + std::to_string(i)) + "\"}";
  EXPECT_EQ(merged("{}", R"({"spec":{"volumes":[)" + items + "]}}"),
            "The allowed maximum items of a list in a strategic merge patch is 10000, got 10001");
}

TEST(StrategicMerge, AnItemWithoutItsKeyIsRefused) {
  EXPECT_EQ(merged(R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[{"image":"i"}]}})"),
            R"(map: {"image":"i"} does not contain declared merge key: name)");
}

}  // namespace
}  // namespace muster::apiserver
