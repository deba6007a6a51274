#include "agent/metrics/gpu_source.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

class OneReadingPerPod final : public UsageSource {
 public:
  std::vector<PodReading> read(const std::vector<MeasuredPod>& pods) override {
    std::vector<PodReading> readings;
    for (const MeasuredPod& pod : pods) readings.push_back({.uid = pod.uid});
    return readings;
  }
};

TEST(GpuSource, APodHasWhatItsDevicesDo) {
  OneReadingPerPod processes;
  GpuSource usage(processes, [](const std::string& uuid) -> std::optional<node::GpuUsage> {
    if (uuid.starts_with("declared")) return std::nullopt;
    return node::GpuUsage{.uuid = uuid, .utilisation = 90, .memory = 7};
  });
  const auto readings =
      usage.read({{.uid = "a", .gpus = {"GPU-1", "declared-0"}}, {.uid = "b"}, {.uid = "c", .gpus = {"GPU-2"}}});
  ASSERT_EQ(readings.size(), 3U);
  ASSERT_EQ(readings[0].gpus.size(), 1U);
  EXPECT_EQ(readings[0].gpus[0].uuid, "GPU-1");
  EXPECT_EQ(readings[0].gpus[0].utilisation, 90);
  EXPECT_TRUE(readings[1].gpus.empty());
  EXPECT_EQ(readings[2].gpus[0].uuid, "GPU-2");
}

}  // namespace
}  // namespace muster::agent
