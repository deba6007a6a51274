#include "web/pods/metrics_route.h"

#include <gmock/gmock.h>

#include <limits>

#include "testing/engine_fixture.h"
#include "testing/fake_metrics.h"

namespace muster::web {
namespace {

using namespace std::chrono_literals;

class PodMetrics : public apiserver::Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->add_routes({metrics_route(server_->context(), metrics_)});
  }
  json::Document get(const std::string& path, int status = 200) {
    const auto answer = call("GET", path);
    EXPECT_EQ(answer->status, status) << answer->body;
    return *json::parse(answer->body);
  }

  testing::FakeMetrics metrics_;
};

TEST_F(PodMetrics, AHistoryHasTimesAndSeries) {
  const auto made =
      call("POST", apiserver::kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}]}})");
  ASSERT_EQ(made->status, 201) << made->body;
  const std::string uid = json::parse(made->body)->string_at("metadata", "uid");
  const std::string path = "/apis/muster.dev/v1/namespaces/default/pods/p/metrics";
  get(path, 404);
  metrics_.past = node::History{
      .pod_uid = uid,
      .step = 15s,
      .times = {Time(15s), Time(30s)},
      .series = {{"cpu", "cores", {0.1F, std::numeric_limits<float>::quiet_NaN()}}, {"memory", "bytes", {1e6F, 2e6F}}}};
  EXPECT_EQ(
      json::serialize(get(path + "?from=1970-01-01T00:00:10Z&to=40&step=15s")),
      R"({"apiVersion":"muster.dev/v1","kind":"PodMetricsHistory","metadata":{"name":"p","namespace":"default","uid":")" +
          uid + R"("},"stepSeconds":15,"times":[15,30],"series":[)" +
          R"({"name":"cpu","unit":"cores","values":[0.1,null]},)" +
          R"({"name":"memory","unit":"bytes","values":[1000000,2000000]}]})");
  EXPECT_EQ(metrics_.asked.pod_uid, uid);
  EXPECT_EQ(metrics_.asked.from, Time(10s));
  EXPECT_EQ(metrics_.asked.to, Time(40s));
  EXPECT_EQ(metrics_.asked.step, Duration(15s));
  get("/apis/muster.dev/v1/namespaces/default/pods/deleted/metrics?step=30");
  EXPECT_EQ(metrics_.asked.pod_uid, "");
  EXPECT_EQ(metrics_.asked.pod, "deleted");
  EXPECT_EQ(metrics_.asked.step, Duration(30s));
}

TEST_F(PodMetrics, WrongParametersAreNamed) {
  const std::string path = "/apis/muster.dev/v1/namespaces/default/pods/p/metrics";
  EXPECT_EQ(get(path + "?from=yesterday", 400).string_at("message"),
            "from: must be an RFC 3339 time in the years 1678 to 2261 or seconds since 1970, up to 4102444800, got "
            "\"yesterday\"");
  EXPECT_EQ(get(path + "?to=99999999999999", 400).string_at("message"),
            "to: must be an RFC 3339 time in the years 1678 to 2261 or seconds since 1970, up to 4102444800, got "
            "\"99999999999999\"");
  EXPECT_EQ(get(path + "?step=often", 400).string_at("message"), "step: must be a duration such as 15s, got \"often\"");
  EXPECT_EQ(call("POST", path)->status, 405);
}

}  // namespace
}  // namespace muster::web
