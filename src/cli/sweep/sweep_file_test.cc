#include "cli/sweep/sweep_file.h"

#include <gmock/gmock.h>

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string file_problem(std::string_view yaml) {
  const auto read = parse_sweep_file(yaml, "sweep.yaml");
  return read ? "none" : read.error().message;
}

TEST(SweepFile, SaysWhatTheFlagsSay) {
  const auto read = parse_sweep_file(
      "name: lr-search\n"
      "command: [train.py, --epochs, 3]\n"
      "parameters:\n"
      "  lr: {min: 1e-4, max: 0.1, scale: log}\n"
      "  batch: [32, 64]\n"
      "  seed: 1..3\n"
      "  amp: true\n"
      "random: 20\n"
      "randomSeed: 7\n"
      "parallel: 4\n"
      "metric: accuracy\n"
      "goal: max\n",
      "sweep.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "lr-search");
  EXPECT_THAT(read->command, ElementsAre("train.py", "--epochs", "3"));
  ASSERT_EQ(read->space.parameters.size(), 4u);
  const auto* lr = std::get_if<Interval>(&read->space.parameters[0].values);
  ASSERT_NE(lr, nullptr);
  EXPECT_TRUE(lr->is_log);
  EXPECT_EQ(value_at(read->space.parameters[1], 1), "64");
  EXPECT_EQ(count_of(read->space.parameters[2]), 3u);
  EXPECT_EQ(value_at(read->space.parameters[3], 0), "true");
  EXPECT_EQ(read->space.random, 20);
  EXPECT_EQ(read->space.random_seed, 7);
  EXPECT_EQ(read->parallel, 4);
  EXPECT_EQ(read->metric, "accuracy");
  EXPECT_EQ(read->goal, "max");
}

TEST(SweepFile, MistakesNameTheLine) {
  EXPECT_EQ(file_problem("parameter: {lr: [1]}\n"),
            "sweep.yaml:1:1: parameter: unknown key, did you mean parameters?; known are name, command, parameters, "
            "random, randomSeed, parallel, metric, goal");
  EXPECT_THAT(file_problem("parameters:\n  lr: {min: 0, max: 1, scale: log}\n"),
              HasSubstr("sweep.yaml:2:3: parameters.lr: a logarithmic scale begins above 0"));
  EXPECT_THAT(file_problem("parameters:\n  lr: {min: 1, max: 2, step: 1}\n"), HasSubstr("unknown key"));
  EXPECT_THAT(file_problem("parameters:\n  lr: []\n"), HasSubstr("must not be empty"));
  EXPECT_THAT(file_problem("parameters: [1]\n"), HasSubstr("must be names with their values"));
  EXPECT_THAT(file_problem("random: many\n"), HasSubstr("random: must be a whole number"));
  EXPECT_THAT(file_problem(""), HasSubstr("must hold one YAML document"));
}

}  // namespace
}  // namespace muster::cli
