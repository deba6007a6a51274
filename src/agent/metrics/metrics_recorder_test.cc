#include "agent/metrics/metrics_recorder.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "agent/names/name_index.h"
#include "testing/sim_loop.h"

namespace muster::agent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsEmpty;

using namespace std::chrono_literals;

/// Pods that use the same every second.
class SteadySource final : public UsageSource {
 public:
  explicit SteadySource(const Clock& clock) : clock_(clock) {}

  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override {
    ++reads;
    const std::int64_t passed = clock_.mono().time_since_epoch() / 1s;
    std::vector<PodReading> readings;
    for (const MeasuredPod& pod : pods) {
      PodReading reading{.uid = pod.uid, .cpu = passed * 500ms, .memory = 1000};
      reading.containers["main"] = {.cpu = reading.cpu, .memory = reading.memory};
      reading.disk_read = passed * 10;
      reading.disk_written = passed * 20;
      for (int i = 0; i < gpus; ++i) reading.gpus.push_back({.uuid = "GPU-x", .utilisation = 80, .memory = 7});
      readings.push_back(std::move(reading));
    }
    return readings;
  }

  int reads = 0;
  int gpus = 0;

 private:
  const Clock& clock_;
};

class MetricsRecorderTest : public ::testing::Test {
 protected:
  MetricsRecorderTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-recorder-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    paths_ = std::make_unique<Paths>(folder_);
    restart();
  }
  ~MetricsRecorderTest() override {
    recorder_.reset();
    std::filesystem::remove_all(folder_);
  }

  void restart() {
    recorder_.reset();
    recorder_ = std::make_unique<MetricsRecorder>(
        loop_, *paths_, "node-a", options_,
        MetricsRecorder::Ports{.running = [this] { return running_; },
                               .in_background = [](Task task) { task(); },
                               .source = &source_,
                               .machine = [this]() -> Result<linux_os::MachineUsage> { return machine_; }});
    ASSERT_TRUE(recorder_->start());
  }
  void run(const std::string& uid, Duration time) {
    running_ = {{.uid = uid, .ns = "n", .name = "p", .init = 1, .containers = {{"main", 2}}}};
    recorder_->wake();
    loop_.advance(time);
  }
  void end() {
    running_.clear();
    loop_.advance(2s);
  }
  node::History history(const node::HistoryRequest& request) {
    auto answer = recorder_->history(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : node::History{};
  }

  testing::SimLoop loop_;
  SteadySource source_{loop_};
  std::string folder_;
  std::unique_ptr<Paths> paths_;
  MetricsOptions options_;
  linux_os::MachineUsage machine_;
  std::vector<MeasuredPod> running_;
  std::unique_ptr<MetricsRecorder> recorder_;
};

TEST_F(MetricsRecorderTest, NothingHappensWhileNoPodRuns) {
  recorder_->wake();
  loop_.advance(1h);
  EXPECT_EQ(source_.reads, 0);
  EXPECT_EQ(loop_.timers(), 0U);
  run("u", 10s);
  end();
  const int reads = source_.reads;
  loop_.advance(1h);
  EXPECT_EQ(source_.reads, reads);
  EXPECT_EQ(loop_.timers(), 0U);
}

TEST_F(MetricsRecorderTest, UsageIsARateOverTheLastSeconds) {
  run("u", 0s);
  EXPECT_FALSE(recorder_->pod_usage("u"));
  loop_.advance(60s);
  const auto usage = recorder_->pod_usage("u");
  ASSERT_TRUE(usage);
  EXPECT_NEAR(usage->containers.at("main").cpu, 0.5, 0.01);
  EXPECT_EQ(usage->containers.at("main").memory, 1000);
  EXPECT_LE(usage->window, 17s);
  EXPECT_GE(usage->window, 15s);
  EXPECT_FALSE(recorder_->pod_usage("other"));
  end();
  EXPECT_FALSE(recorder_->pod_usage("u"));
}

TEST_F(MetricsRecorderTest, TheLastMinutesAreFineAndTheHoursCoarse) {
  run("u", 2h);
  const node::History lately = history({.pod_uid = "u", .from = loop_.now() - 5min});
  EXPECT_EQ(lately.step, 2s);
  EXPECT_GE(lately.times.size(), 149U);
  EXPECT_THAT(lately.series[0].values, Each(FloatNear(0.5F, 0.01F)));
  EXPECT_THAT(lately.series[2].values, Each(FloatNear(10, 0.1F)));
  EXPECT_TRUE(std::isnan(lately.series[4].values.front()));
  const node::History all = history({.pod_uid = "u"});
  EXPECT_EQ(all.step, 15s);
  EXPECT_GE(all.times.size(), 479U);
  EXPECT_THAT(all.series[0].values, Each(FloatNear(0.5F, 0.01F)));
  EXPECT_LE(std::filesystem::file_size(paths_->metrics("u")), 200'000U);
}

TEST_F(MetricsRecorderTest, TheHistoryStaysAfterTheEnd) {
  run("u", 20s);
  const std::size_t before = history({.pod_uid = "u"}).times.size();
  EXPECT_GE(before, 9U);
  end();
  EXPECT_EQ(history({.pod_uid = "u"}).times.size(), before);
  // By name, once the pod is deleted.
  const json::Document pod = json::Object{
      {"metadata", json::Object{{"name", "p"}, {"namespace", "n"}, {"uid", "u"}, {"labels", json::Object{}}}}};
  ASSERT_TRUE(remember_name(*paths_, pod));
  EXPECT_EQ(history({.ns = "n", .pod = "p"}).pod_uid, "u");
  const auto unknown = recorder_->history({.ns = "n", .pod = "q"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().reason, Reason::kNotFound);
  EXPECT_EQ(unknown.error().message, "no pod \"q\" in namespace \"n\" was measured, or its history is no longer kept");
}

TEST_F(MetricsRecorderTest, ARestartedEngineGoesOn) {
  run("u", 30min);
  const std::size_t before = history({.pod_uid = "u"}).times.size();
  restart();
  run("u", 1min);
  const node::History after = history({.pod_uid = "u"});
  EXPECT_GT(after.times.size(), before);
  EXPECT_TRUE(std::ranges::is_sorted(after.times));
  EXPECT_THAT(after.series[0].values, Each(FloatNear(0.5F, 0.01F)));
  const node::History fine = history({.pod_uid = "u", .from = loop_.now() - 9min});
  EXPECT_EQ(fine.step, 2s);
  EXPECT_GE(fine.times.size(), 260U);
}

TEST_F(MetricsRecorderTest, AnotherLayoutKeepsWhatWasMeasured) {
  run("u", 30min);
  const std::size_t before = history({.pod_uid = "u"}).times.size();
  options_.history = 48h;
  source_.gpus = 1;
  restart();
  run("u", 1min);
  const node::History after = history({.pod_uid = "u"});
  EXPECT_GT(after.times.size(), before);
  ASSERT_EQ(after.series.size(), 8U);
  EXPECT_EQ(after.series[6].name, "gpu-0-utilisation");
  EXPECT_EQ(after.series[6].unit, "percent");
  EXPECT_EQ(after.series[6].values.back(), 80);
  EXPECT_TRUE(std::isnan(after.series[6].values.front()));
}

TEST_F(MetricsRecorderTest, APodThatWasNeverMeasuredHasAnEmptyHistory) {
  EXPECT_THAT(history({.pod_uid = "u"}).times, IsEmpty());
}

TEST_F(MetricsRecorderTest, TheNodeIsMeasuredWhenSomebodyAsks) {
  machine_ = {.cpu = 0s, .memory = 5};
  restart();
  loop_.advance(10s);
  machine_ = {.cpu = 20s, .memory = 6};
  const auto usage = recorder_->node_usage();
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->node, "node-a");
  EXPECT_EQ(usage->window, 10s);
  EXPECT_EQ(usage->usage.cpu, 2);
  EXPECT_EQ(usage->usage.memory, 6);
  EXPECT_EQ(recorder_->node_usage()->usage.cpu, 2);  // asked again at once
}

TEST_F(MetricsRecorderTest, TotalsAreOfRunningPods) {
  EXPECT_THAT(recorder_->totals(), IsEmpty());
  run("u", 10s);
  const auto totals = recorder_->totals();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].pod, "p");
  EXPECT_EQ(totals[0].disk_written, 200);
  EXPECT_EQ(totals[0].received, std::nullopt);
}

}  // namespace
}  // namespace muster::agent
