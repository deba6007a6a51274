#include "cli/sweep/expand.h"

#include <gmock/gmock.h>

#include <set>

namespace muster::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Parameter parameter(const std::string& name, const std::string& text) {
  auto parsed = parse_parameter(name, text, "--" + name);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

std::string problem(const std::string& text) {
  const auto parsed = parse_parameter("lr", text, "--lr");
  return parsed ? "none" : parsed.error().message;
}

std::vector<std::string> lines(const SweepSpace& space) {
  const auto runs = expand(space);
  if (!runs) return {runs.error().message};
  std::vector<std::string> out;
  for (const RunValues& run : *runs) {
    std::string line;
    for (const auto& [name, value] : run) line += (line.empty() ? "" : " ") + name + "=" + value;
    out.push_back(line);
  }
  return out;
}

TEST(Parameter, IsAListARangeOrOneValue) {
  EXPECT_EQ(count_of(parameter("lr", "0.1,0.01")), 2u);
  EXPECT_EQ(count_of(parameter("seed", "1..3")), 3u);
  EXPECT_EQ(count_of(parameter("rate", "0..1..0.25")), 5u);
  EXPECT_EQ(value_at(parameter("data", "../data"), 0), "../data");
}

TEST(Parameter, MistakesAreToldWithTheValue) {
  EXPECT_EQ(problem("1..x"), "--lr: must be FIRST..LAST or FIRST..LAST..STEP in numbers, got \"1..x\"");
  EXPECT_THAT(problem("3..1"), HasSubstr("the step must lead from the first number to the last"));
  EXPECT_THAT(problem("1..3..0"), HasSubstr("the step must not be 0"));
  EXPECT_THAT(problem("a,,b"), HasSubstr("has an empty value"));
  EXPECT_THAT(problem("1..3,7"), HasSubstr("either a list or a range"));
  EXPECT_THAT(problem("0.5..0.1"), HasSubstr("the first number must be less than the last"));
}

TEST(Expand, TheLastParameterChangesFastest) {
  EXPECT_THAT(lines({.parameters = {parameter("lr", "0.1,0.01"), parameter("seed", "1..2")}}),
              ElementsAre("lr=0.1 seed=1", "lr=0.1 seed=2", "lr=0.01 seed=1", "lr=0.01 seed=2"));
}

TEST(Expand, AMillionRunsAreRefusedWithTheArithmeticAndTheWayOut) {
  const auto runs = lines({.parameters = {parameter("lr", "1..10"), parameter("seed", "1..100000")}});
  EXPECT_THAT(runs, ElementsAre("lr 10 x seed 100000 = 1000000 runs, a sweep may have 1000; give fewer values, or "
                                "sample some with --random 100"));
}

TEST(Expand, NumbersBeyondAnyCounterAreRefusedToo) {
  SweepSpace space;
  for (const char* name : {"a", "b", "c"}) space.parameters.push_back(parameter(name, "1..100000000000"));
  EXPECT_THAT(lines(space).front(), HasSubstr("more than 10^19 runs"));
  space.random = 1'000'000;
  EXPECT_EQ(lines(space).front(), "--random: must be 1 to 1000, got 1000000");
}

TEST(Expand, NothingToVaryAndOneNameTwiceAreRefused) {
  EXPECT_THAT(lines({}).front(), HasSubstr("a sweep needs a parameter"));
  EXPECT_THAT(lines({.parameters = {parameter("lr", "1"), parameter("lr", "2")}}).front(), HasSubstr("given twice"));
}

TEST(Expand, AnIntervalNeedsAStepOrASample) {
  EXPECT_THAT(lines({.parameters = {parameter("lr", "0.1..0.5")}}).front(), HasSubstr("the range has no step"));
  const auto runs = expand({.parameters = {parameter("lr", "0.1..0.5")}, .random = 50});
  ASSERT_TRUE(runs);
  for (const RunValues& run : *runs) {
    const double value = std::stod(run[0].second);
    EXPECT_THAT(value, AllOf(::testing::Ge(0.1), ::testing::Le(0.5)));
  }
}

TEST(Expand, ALogarithmicScaleFavoursNoOrderOfMagnitude) {
  const Parameter lr{.name = "lr", .values = Interval{.low = 1e-5, .high = 1e-1, .is_log = true}};
  const auto runs = expand({.parameters = {lr}, .random = 1000});
  ASSERT_TRUE(runs);
  int below = 0;
  for (const RunValues& run : *runs) below += std::stod(run[0].second) < 1e-3 ? 1 : 0;
  EXPECT_THAT(below, AllOf(::testing::Gt(400), ::testing::Lt(600)));
}

TEST(Expand, ASampleIsTheSameForTheSameSeedAndHasNoRunTwice) {
  SweepSpace space{.parameters = {parameter("lr", "1..100"), parameter("seed", "1..100")}, .random = 200};
  const auto first = lines(space);
  EXPECT_EQ(lines(space), first);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 200u);
  space.random_seed = 2;
  EXPECT_NE(lines(space), first);
}

TEST(Expand, ASampleOfMoreThanThereIsIsAll) {
  EXPECT_THAT(lines({.parameters = {parameter("seed", "1..2")}, .random = 20}), ElementsAre("seed=1", "seed=2"));
}

TEST(WithValues, AreFlagsOrTakeTheirPlaces) {
  EXPECT_THAT(with_values({"python", "train.py"}, {{"lr", "0.1"}, {"seed", "3"}}),
              ElementsAre("python", "train.py", "--lr", "0.1", "--seed", "3"));
  EXPECT_THAT(with_values({"train.py", "optim.lr={lr}", "out/{lr}-{seed}"}, {{"lr", "0.1"}, {"seed", "3"}}),
              ElementsAre("train.py", "optim.lr=0.1", "out/0.1-3"));
}

}  // namespace
}  // namespace muster::cli
