#include "cli/sweep/sweep_table.h"

#include <gmock/gmock.h>

#include "cli/sweep/create_sweep.h"

namespace muster::cli {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr Time kNow = Time(seconds(100));

SweepRun run(int number, jobs::State state, std::optional<double> best = std::nullopt) {
  SweepRun out{.name = "s-" + std::to_string(number), .values = {{"lr", "0." + std::to_string(number)}}};
  out.number = number;
  out.total = 3;
  out.state = state;
  if (state != jobs::State::kPending) out.started = Time(seconds(40));
  if (jobs::has_ended(state)) out.ended = Time(seconds(60));
  if (best) out.metric = MetricValue{.tag = "train/loss", .last = *best + 1, .best = *best};
  return out;
}

TEST(SweepTable, ShowsValuesAndMetricsAndMarksTheBest) {
  std::vector<SweepRun> runs{run(1, jobs::State::kSucceeded, 0.5), run(2, jobs::State::kRunning, 0.25),
                             run(3, jobs::State::kPending)};
  runs[2].cause = "waits for its sweep: 1 of 1 run";
  EXPECT_THAT(sweep_rows(runs, {}, kNow, 20),
              ElementsAre(ElementsAre("NAME", "PHASE", "lr", "loss", "BEST", "TIME", "REASON"),
                          ElementsAre("s-1", "Succeeded", "0.1", "1.5", "0.5", "20s", ""),
                          ElementsAre("s-2", "Running", "0.2", "1.25", "0.25 *", "60s", ""),
                          ElementsAre("s-3", "Pending", "0.3", "-", "-", "-", "waits for its sweep: 1 of 1 run")));
  EXPECT_EQ(sweep_counts(runs), "3 runs: 1 running, 1 pending, 1 succeeded");
  EXPECT_EQ(best_text(runs, {}), "best: s-2 (lr=0.2), train/loss 0.25");
}

TEST(SweepTable, WithoutAMetricThereIsNoColumnAndNoBest) {
  const std::vector<SweepRun> runs{run(1, jobs::State::kSucceeded)};
  EXPECT_THAT(sweep_rows(runs, {}, kNow, 20).front(), ElementsAre("NAME", "PHASE", "lr", "TIME", "REASON"));
  EXPECT_EQ(best_text(runs, {}), "");
  EXPECT_EQ(sweep_counts(runs), "1 run: 1 succeeded; 2 of 3 were deleted or never created");
}

TEST(SweepTable, OfManyRunsThoseThatRunAndTheBestAreShown) {
  const std::vector<SweepRun> runs{run(1, jobs::State::kSucceeded, 0.5), run(2, jobs::State::kSucceeded, 0.1),
                                   run(3, jobs::State::kPending), run(4, jobs::State::kRunning)};
  const auto rows = sweep_rows(runs, {}, kNow, 2);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][0], "s-2");
  EXPECT_EQ(rows[2][0], "s-4");
}

TEST(SweepTable, TheGoalDecidesAndTheFirstOfEqualsWins) {
  const std::vector<SweepRun> runs{run(2, jobs::State::kSucceeded, 0.5), run(1, jobs::State::kSucceeded, 0.5),
                                   run(3, jobs::State::kSucceeded, 0.1)};
  EXPECT_EQ(best_run(runs, Goal::kMax)->name, "s-1");
  EXPECT_EQ(best_run(runs, Goal::kMin)->name, "s-3");
}

TEST(SweepTable, AFailedRunIsToldWithItsCause) {
  SweepRun failed = run(1, jobs::State::kFailed);
  failed.cause = "exit code 1";
  EXPECT_EQ(end_text(failed, {}), "s-1 (lr=0.1) Failed in 20s: exit code 1");
}

TEST(SweepTable, AJobTellsWhichRunItIs) {
  json::Document job = *json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",
      "metadata":{"name":"s-07"}})");
  job["metadata"]["annotations"] = annotations_of_run(7, 54, {{"lr", "0.1"}, {"mode", "a b"}});
  const SweepRun read = run_of_job(job);
  EXPECT_EQ(read.number, 7);
  EXPECT_EQ(read.total, 54);
  EXPECT_EQ(values_text(read.values), "lr=0.1 mode=a b");
}

TEST(SweepNames, SortAsTheyAreNumbered) {
  EXPECT_EQ(name_of_run("s", 7, 100), "s-007");
  EXPECT_EQ(name_of_run("s", 7, 7), "s-7");
}

}  // namespace
}  // namespace muster::cli
