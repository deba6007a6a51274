#include "apiserver/verbs/usage.h"

#include <gmock/gmock.h>

#include "testing/engine_fixture.h"
#include "testing/fake_metrics.h"

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using namespace std::chrono_literals;

constexpr const char* kUsage = "/apis/metrics.k8s.io/v1beta1";

class Usage : public Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->set_metrics(&metrics_);
  }
  /// Returns the uid.
  std::string make_pod(const std::string& name, const std::string& team) {
    const auto made = call("POST", "/api/v1/namespaces/default/pods",
                           R"({"metadata":{"name":")" + name + R"(","labels":{"team":")" + team +
                               R"("}},"spec":{"containers":[{"name":"a","image":"i"}]}})");
    EXPECT_EQ(made->status, 201) << made->body;
    return json::parse(made->body)->string_at("metadata", "uid");
  }
  json::Document get(const std::string& path, int status = 200) {
    const auto answer = call("GET", path);
    EXPECT_EQ(answer->status, status) << answer->body;
    return *json::parse(answer->body);
  }
  std::vector<std::string> names(const std::string& path) {
    std::vector<std::string> all;
    const json::Document list = get(path);
    for (const json::Document& item : list.array_at("items")) all.push_back(item.string_at("metadata", "name"));
    return all;
  }

  testing::FakeMetrics metrics_;
};

TEST_F(Usage, APodIsShownOnceItIsMeasured) {
  const std::string path = std::string(kUsage) + "/namespaces/default/pods/p";
  const std::string uid = make_pod("p", "x");
  EXPECT_THAT(get(path, 404).string_at("message"), HasSubstr("\"p\" not found"));
  metrics_.pods[uid] = {
      .time = Time(1'767'225'600s), .window = 15'250ms, .containers = {{"a", {.cpu = 0.25, .memory = 3 << 20}}}};
  const json::Document shown = get(path);
  EXPECT_EQ(shown.string_at("kind"), "PodMetrics");
  EXPECT_EQ(shown.string_at("metadata", "namespace"), "default");
  EXPECT_EQ(shown.string_at("metadata", "labels", "team"), "x");
  EXPECT_EQ(shown.string_at("timestamp"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(shown.string_at("window"), "15.250s");
  ASSERT_EQ(shown.array_at("containers").size(), 1U);
  EXPECT_EQ(shown.array_at("containers")[0].string_at("usage", "cpu"), "250000000n");
  EXPECT_EQ(shown.array_at("containers")[0].string_at("usage", "memory"), "3072Ki");
}

TEST_F(Usage, ListsAreSelectedAsPodsAre) {
  metrics_.pods[make_pod("a", "x")] = {};
  metrics_.pods[make_pod("b", "y")] = {};
  make_pod("waits", "x");
  EXPECT_THAT(names(std::string(kUsage) + "/pods"), ElementsAre("a", "b"));
  EXPECT_THAT(names(std::string(kUsage) + "/namespaces/default/pods?labelSelector=team%3Dy"), ElementsAre("b"));
  EXPECT_THAT(names(std::string(kUsage) + "/pods?fieldSelector=metadata.name%3Da"), ElementsAre("a"));
  EXPECT_EQ(get(std::string(kUsage) + "/pods").string_at("kind"), "PodMetricsList");
  EXPECT_EQ(call("GET", std::string(kUsage) + "/pods?labelSelector=%28")->status, 400);
}

TEST_F(Usage, ANodeIsThisMachine) {
  for (const char* name : {"here", "elsewhere"}) {
    const std::string node = std::string(R"({"metadata":{"name":")") + name + R"("}})";
    ASSERT_EQ(call("POST", "/api/v1/nodes", node)->status, 201);
  }
  metrics_.node = {.node = "here", .time = Time(1s), .window = 2s, .usage = {.cpu = 1.5, .memory = 1 << 30}};
  EXPECT_THAT(names(std::string(kUsage) + "/nodes"), ElementsAre("here"));
  EXPECT_EQ(get(std::string(kUsage) + "/nodes/here").string_at("usage", "cpu"), "1500000000n");
  get(std::string(kUsage) + "/nodes/elsewhere", 404);
}

TEST_F(Usage, WithoutAMeasuringNodeNothingIsAvailable) {
  server_->set_metrics(nullptr);
  get(std::string(kUsage) + "/pods", 503);
}

TEST_F(Usage, PrometheusSeesWhatIsKnown) {
  metrics_.sums = {{.ns = "n",
                    .pod = "p",
                    .containers = {{"a", {.cpu = 1500ms, .memory = 10}}},
                    .disk_read = 5,
                    .disk_written = 6,
                    .gpus = {{.uuid = "GPU-1", .utilisation = 50, .memory = 3 << 20}}}};
  const std::string text = call("GET", "/metrics")->body;
  EXPECT_THAT(text, HasSubstr("container_cpu_usage_seconds_total{namespace=\"n\",pod=\"p\",container=\"a\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("container_memory_working_set_bytes{namespace=\"n\",pod=\"p\",container=\"a\"} 10\n"));
  EXPECT_THAT(text, HasSubstr("container_fs_writes_bytes_total{namespace=\"n\",pod=\"p\"} 6\n"));
  EXPECT_THAT(text, Not(HasSubstr("container_network_receive_bytes_total{")));
  EXPECT_THAT(text, HasSubstr("DCGM_FI_DEV_FB_USED{namespace=\"n\",pod=\"p\",UUID=\"GPU-1\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total "));
}

}  // namespace
}  // namespace muster::apiserver
