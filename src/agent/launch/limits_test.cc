#include "agent/launch/limits.h"

#include <gtest/gtest.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

using linux_os::CgroupLimits;
using linux_os::CgroupTree;

Machine machine_of(std::int64_t cpus, std::int64_t memory) {
  Machine machine;
  machine.cpus = cpus;
  machine.memory = memory;
  return machine;
}

TEST(Limits, AreThoseOfTheContainer) {
  const auto limits =
      limits_of(doc(R"({"resources":{"requests":{"cpu":"250m","memory":"1Gi"},"limits":{"memory":"64Mi"}}})"),
                machine_of(4, 1LL << 34));
  EXPECT_EQ(limits, (CgroupLimits{.cpu_request = 250, .memory = 64 << 20}));
}

TEST(Limits, OfCpuAreInThousandthsOfACore) {
  const auto limits = limits_of(doc(R"({"resources":{"limits":{"cpu":"1500m"}}})"), machine_of(4, 1LL << 34));
  EXPECT_EQ(limits, (CgroupLimits{.cpu_request = 1500, .cpu_limit = 1500})) << "a limit is also the request";
}

TEST(Limits, BeyondTheMachineAreCapped) {
  const auto limits = limits_of(doc(R"({"resources":{"limits":{"cpu":64,"memory":"512Gi"}}})"), machine_of(2, 8 << 20));
  EXPECT_EQ(limits, (CgroupLimits{.cpu_request = 64000, .cpu_limit = 2000, .memory = 8 << 20}));
}

TEST(SharedMemory, IsTheSumOfTheLimitsOrHalfOfTheMachine) {
  const auto pod_of = [](const std::string& containers) {
    return std::make_shared<const json::Document>(doc(R"({"spec":{"containers":[)" + containers + "]}}"));
  };
  const auto small = pod_of(R"({"resources":{"limits":{"memory":"1Gi"}}})");
  const auto large = pod_of(R"({"resources":{"limits":{"memory":"7Gi"}}})");
  const auto unlimited = pod_of(R"({"resources":{"limits":{"memory":"1Gi"}}},{})");
  const Machine machine = machine_of(4, 8LL << 30);
  EXPECT_EQ(shared_memory_size({small, small}, machine), 2LL << 30);
  EXPECT_EQ(shared_memory_size({small, large}, machine), 4LL << 30) << "never more than half";
  EXPECT_EQ(shared_memory_size({small, unlimited}, machine), 4LL << 30);
  EXPECT_EQ(shared_memory_size({}, machine), 4LL << 30);
}

TEST(Limits, ContainersThatAskForNothingHaveNone) {
  const auto pod = doc(R"({"spec":{
      "initContainers":[{"name":"i","resources":{"limits":{"memory":"1Mi"}}}],
      "containers":[{"name":"a"},{"name":"b","resources":{"limits":{"nvidia.com/gpu":1}}}]}})");
  const auto limits = limits_by_container(pod, machine_of(2, 1LL << 34));
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits.at("i"), (CgroupLimits{.memory = 1 << 20}));
}

TEST(Limits, ThatTheHostCannotEnforceAreNamed) {
  const auto none = CgroupTree::find("muster", "/nonexistent", "");
  EXPECT_EQ(unenforced({{"c", {.cpu_request = 1}}}, none), "") << "requests are not limits";
  EXPECT_EQ(unenforced({{"c", {.memory = 1}}}, none), "") << "the engine measures it";
  EXPECT_EQ(unenforced({{"c", {.cpu_limit = 1}}, {"d", {.memory = 1}}}, none),
            "limits.cpu not enforced: this host has no control groups that the engine may use");
}

}  // namespace
}  // namespace muster::agent
