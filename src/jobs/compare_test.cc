#include "jobs/compare.h"

#include <gtest/gtest.h>

namespace muster::jobs {
namespace {

json::Document job_running(const std::string& command, const std::string& env = "[]") {
  return *json::parse(
      R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":{"name":"mnist"},)"
      R"("spec":{"replicaSpecs":[{"type":"worker","replicas":2,"template":{"spec":{"containers":[{"name":"pytorch",)"
      R"("image":"host","command":)" +
      command + R"(,"env":)" + env +
      R"(}]}}}]},"status":{"phase":"Succeeded","startTime":"2026-01-01T00:00:00Z",)"
      R"("completionTime":"2026-01-01T00:03:00Z"}})");
}

std::string value_of(const std::vector<Trait>& traits, const std::string& name) {
  for (const Trait& one : traits) {
    if (one.name == name) return one.value;
  }
  return "none";
}

TEST(Compare, AJobHasItsArgumentsByName) {
  const auto traits = traits_of(
      job_running(
          R"(["python","train.py","--lr","0.1","--seed=3","--amp","-v","--shift","-0.5","out"])",
          R"([{"name":"SEED","value":"7"},{"name":"KEY","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}])"),
      Time());
  EXPECT_EQ(value_of(traits, "command"), "python train.py");
  EXPECT_EQ(value_of(traits, "--lr"), "0.1");
  EXPECT_EQ(value_of(traits, "--seed"), "3");
  EXPECT_EQ(value_of(traits, "--amp"), "set");
  EXPECT_EQ(value_of(traits, "-v"), "set");
  EXPECT_EQ(value_of(traits, "--shift"), "-0.5");
  EXPECT_EQ(value_of(traits, "env SEED"), "7");
  EXPECT_EQ(value_of(traits, "env KEY"), "from a Secret or field");
  EXPECT_EQ(value_of(traits, "replicas"), "2");
  EXPECT_EQ(value_of(traits, "state"), "Succeeded");
  EXPECT_EQ(value_of(traits, "duration"), "3m");
  EXPECT_EQ(value_of(traits, "cause"), "none") << "what is empty says nothing";
}

TEST(Compare, ACurveHasItsLastAndItsBestValue) {
  const auto traits = metric_traits(*json::parse(
      R"({"runs":[{"name":".","series":[{"tag":"val/loss","points":[[1,0,0.9],[2,0,0.3],[3,0,0.5],[4,0,null]]},)"
      R"({"tag":"val/accuracy","points":[[1,0,0.5],[2,0,0.8],[3,0,0.7]]},{"tag":"empty","points":[]}]}]})"));
  ASSERT_EQ(traits.size(), 4U);
  EXPECT_EQ(value_of(traits, "val/loss, last"), "0.5");
  EXPECT_EQ(value_of(traits, "val/loss, lowest"), "0.3");
  EXPECT_EQ(value_of(traits, "val/accuracy, last"), "0.7");
  EXPECT_EQ(value_of(traits, "val/accuracy, highest"), "0.8");
}

TEST(Compare, AFolderIsNamedOnlyWhereATagIsInSeveral) {
  const auto of = [](const std::string& runs) { return metric_traits(*json::parse(R"({"runs":[)" + runs + "]}")); };
  const auto run = [](const std::string& folder, const std::string& name, const std::string& tag) {
    return R"({"folder":")" + folder + R"(","name":")" + name + R"(","series":[{"tag":")" + tag +
           R"(","points":[[1,0,0.5]]}]})";
  };
  auto traits = of(run("runs/Nov19_a", ".", "loss") + "," + run("runs/Nov19_a", "1763541000.5", "hparam/accuracy"));
  ASSERT_EQ(traits.size(), 4U);
  EXPECT_EQ(traits[0].name, "loss, last");
  EXPECT_EQ(traits[2].name, "hparam/accuracy, last");
  traits = of(run("logs/Nov19/train", ".", "loss") + "," + run("logs/Nov19/validation", ".", "loss"));
  ASSERT_EQ(traits.size(), 4U);
  EXPECT_EQ(traits[0].name, "loss (train), last");
  EXPECT_EQ(traits[2].name, "loss (validation), last");
}

TEST(Compare, LinesThatDifferAreKnown) {
  const auto lines =
      compare({{{"state", "Running"}, {"--lr", "0.1"}}, {{"state", "Running"}, {"--lr", "0.2"}, {"--amp", "set"}}});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_FALSE(lines[0].differs());
  EXPECT_TRUE(lines[1].differs());
  EXPECT_EQ(lines[2].values, (std::vector<std::string>{"", "set"}));
  EXPECT_TRUE(lines[2].differs());
}

}  // namespace
}  // namespace muster::jobs
