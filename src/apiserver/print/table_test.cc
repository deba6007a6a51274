#include "apiserver/print/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/jsonpath.h"

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;

const Time kNow = *parse_rfc3339("2026-01-01T01:00:00Z");

std::vector<std::string> cells(std::string_view plural, const std::string& object) {
  std::vector<std::string> out;
  for (const json::Document& cell : cells_of(*api::find_typed(plural), *json::parse(object), kNow)) {
    out.push_back(cell.is_string() ? cell.as_string() : json::serialize(cell));
  }
  return out;
}

TEST(Table, EveryRowHasACellPerColumn) {
  const json::Document empty = *json::parse(R"({"metadata":{"name":"x"}})");
  for (const api::Resource& resource : api::resources()) {
    EXPECT_EQ(cells_of(resource, empty, kNow).size(), columns_of(resource).size()) << resource.kind;
    for (const api::PrinterColumn& column : resource.columns) {
      EXPECT_TRUE(json::JsonPath::parse(column.json_path).has_value()) << resource.kind << " " << column.json_path;
    }
  }
}

std::string pod(const std::string& spec, const std::string& status, const std::string& more = "") {
  return R"({"metadata":{"name":"p","creationTimestamp":"2026-01-01T00:55:00Z")" + more + R"(},"spec":)" + spec +
         R"(,"status":)" + status + "}";
}

TEST(Table, PodStates) {
  const char* one = R"({"nodeName":"n","containers":[{"name":"c"}]})";
  EXPECT_THAT(cells("pods", pod(one, R"({"phase":"Pending"})")),
              ElementsAre("p", "0/1", "Pending", "0", "5m", "<none>", "n", "<none>", "<none>"));
  EXPECT_EQ(
      cells(
          "pods",
          pod(one,
              R"({"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]})"))[2],
      "ContainerCreating");
  EXPECT_EQ(
      cells(
          "pods",
          pod(one,
              R"({"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]})"))
          [2],
      "Completed");
  EXPECT_EQ(
      cells("pods",
            pod(one,
                R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":9,"signal":9}}}]})"))[2],
      "Signal:9");
  EXPECT_EQ(cells("pods", pod(one, R"({"phase":"Failed","reason":"Evicted"})"))[2], "Evicted");
}

TEST(Table, PodRestartsSayWhen) {
  const auto row = cells(
      "pods",
      pod(R"({"containers":[{"name":"c"}]})",
          R"({"phase":"Running","containerStatuses":[{"ready":true,"restartCount":3,"state":{"running":{}},"lastState":)"
          R"({"terminated":{"finishedAt":"2026-01-01T00:58:00Z"}}}]})"));
  EXPECT_EQ(row[1], "1/1");
  EXPECT_EQ(row[3], "3 (2m ago)");
}

TEST(Table, PodsInInitAndOnTheirWayOut) {
  EXPECT_EQ(
      cells(
          "pods",
          pod(R"({"initContainers":[{"name":"i"},{"name":"k"}],"containers":[{"name":"c"}]})",
              R"({"phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":0}}},{"state":{"running":{}}}]})"))
          [2],
      "Init:1/2");
  EXPECT_EQ(cells("pods", pod(R"({"containers":[{"name":"c"}]})", R"({"phase":"Running"})",
                              R"(,"deletionTimestamp":"2026-01-01T00:59:00Z")"))[2],
            "Terminating");
}

TEST(Table, OtherKinds) {
  EXPECT_THAT(
      cells("services", R"({"metadata":{"name":"s"},"spec":{"type":"ClusterIP","clusterIP":"None","selector":)"
                        R"({"b":"2","a":"1"},"ports":[{"port":80},{"port":53,"protocol":"UDP","nodePort":3}]}})"),
      ElementsAre("s", "ClusterIP", "None", "<none>", "80/TCP,53:3/UDP", "<unknown>", "a=1,b=2"));
  EXPECT_THAT(cells("configmaps", R"({"metadata":{"name":"c"},"data":{"a":"1"},"binaryData":{"b":""}})"),
              ElementsAre("c", "2", "<unknown>"));
  EXPECT_EQ(cells("nodes", R"({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/control-plane":""}},)"
                           R"("status":{"conditions":[{"type":"Ready","status":"True"}]}})")[2],
            "control-plane");
  EXPECT_THAT(cells("events", R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},"type":"Normal",)"
                              R"("reason":"R","message":" m \n","lastTimestamp":"2026-01-01T00:59:30Z"})"),
              ElementsAre("30s", "Normal", "R", "pod/p", "", "", "m", "<unknown>", "1", "e"));
}

TEST(Table, JobsPrintTheirColumnsByPath) {
  EXPECT_EQ(cells("pytorchjobs",
                  R"({"metadata":{"name":"j"},"status":{"conditions":[{"type":"Created"},{"type":"Running"}]}})")[1],
            "Running");
  EXPECT_EQ(cells("pytorchjobs", R"({"metadata":{"name":"j"}})")[1], "null");
}

}  // namespace
}  // namespace muster::apiserver
