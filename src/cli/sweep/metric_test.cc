#include "cli/sweep/metric.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

json::Document scalars(const std::string& series) {
  return *json::parse(R"({"kind":"Scalars","runs":[{"name":".","series":[)" + series + "]}]}");
}

const std::string kTrain = R"({"tag":"train/loss","points":[[1,0,0.9],[2,0,0.2],[3,0,0.4]]})";
const std::string kOther = R"({"tag":"Accuracy/test","points":[[1,0,0.5],[2,0,0.8],[3,0,0.7]]})";

TEST(Metric, IsTheEndOfATagAndKnowsLastAndBest) {
  const auto found = read_metric(scalars(kTrain + "," + kOther), "loss", Goal::kMin);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tag, "train/loss");
  EXPECT_EQ(found->last, 0.4);
  EXPECT_EQ(found->best, 0.2);
}

TEST(Metric, IsFoundInAnyPartAndAnyCase) {
  const auto found = read_metric(scalars(kTrain + "," + kOther), "accuracy", Goal::kMax);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best, 0.8);
}

TEST(Metric, TheTagItselfComesFirstThenTheShortest) {
  const std::string exact = R"({"tag":"loss","points":[[1,0,7]]})";
  EXPECT_EQ(read_metric(scalars(kTrain + "," + exact), "loss", Goal::kMin)->best, 7);
  const std::string deep = R"({"tag":"a/train/loss","points":[[1,0,8]]})";
  EXPECT_EQ(read_metric(scalars(deep + "," + kTrain), "loss", Goal::kMin)->tag, "train/loss");
}

TEST(Metric, AfterARestartTheLatestStepIsTheLast) {
  const std::string again = R"({"tag":"train/loss","points":[[2,0,0.6],[4,0,0.5]]})";
  EXPECT_EQ(read_metric(scalars(again + "," + kTrain), "loss", Goal::kMin)->last, 0.5);
}

TEST(Metric, ValuesThatAreNotFiniteDoNotCount) {
  EXPECT_FALSE(read_metric(scalars(R"({"tag":"loss","points":[[1,0,null]]})"), "loss", Goal::kMin));
  EXPECT_FALSE(read_metric(scalars(kOther), "loss", Goal::kMin));
  EXPECT_FALSE(read_metric(json::Object{{"message", "not found"}}, "loss", Goal::kMin));
}

}  // namespace
}  // namespace muster::cli
