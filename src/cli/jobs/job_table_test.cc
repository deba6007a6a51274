#include "cli/jobs/job_table.h"

#include <gmock/gmock.h>

#include "api/resource.h"
#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/connect/kinds.h"
#include "cli/jobs/job_choice.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Time kNow = *parse_rfc3339("2026-01-01T01:00:00Z");

struct Made {
  std::string name;
  std::string phase = "Running";
  std::string created = "2026-01-01T00:00:00Z";
  std::string started = "2026-01-01T00:30:00Z";
};

JobRow row(const Made& made) {
  const api::Resource& kind = *api::find_kind("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob");
  json::Object status{{"phase", made.phase}};
  if (!made.started.empty()) status.append("startTime", made.started);
  const json::Document object =
      json::Object{{"apiVersion", "batch.tensorstack.dev/v1beta1"},
                   {"kind", "PyTorchTrainingJob"},
                   {"metadata", json::Object{{"name", made.name}, {"creationTimestamp", made.created}}},
                   {"status", std::move(status)}};
  return {.found = {{kind_of(kind), "default", made.name}, object}, .reason = ""};
}

std::vector<std::string> names(const std::vector<JobRow>& rows) {
  std::vector<std::string> out;
  for (const JobRow& one : rows) out.push_back(one.found.job.name);
  return out;
}

TEST(JobTable, SaysHowFarEachJobIs) {
  std::vector<JobRow> rows = {row({.name = "mnist-a"}), row({.name = "mnist-b", .phase = "Pending", .started = ""})};
  rows[0].progress = {.epoch = 3, .epochs = 10, .loss = 0.3125};
  rows[0].arguments = "--lr 0.1";
  rows[1].arguments = "--lr 0.01";
  rows[1].reason = "needs 4 nvidia.com/gpu, there is none";
  EXPECT_EQ(JobTable({}).print(rows, kNow),
            "NAME      PHASE     ARGUMENTS   PROGRESS                  GPUS   DURATION   REASON\n"
            "mnist-a   Running   --lr 0.1    epoch 3/10, loss 0.3125   -      30m\n"
            "mnist-b   Pending   --lr 0.01   -                         -      -          needs 4 nvidia.com/gpu, there "
            "is none\n");
}

TEST(JobTable, FitsTheTerminal) {
  std::vector<JobRow> rows = {row({.name = "a-name-of-a-job-x7k2p"})};
  rows[0].progress = {.step = 123456, .steps = 200000, .loss = 0.3125};
  rows[0].arguments = "--learning-rate 0.1 --batch-size 512 --weight-decay 0.01";
  rows[0].reason = "ValueError: Expected input batch_size (64) to match target batch_size (32).";
  for (const std::size_t width : {60U, 80U, 120U}) {
    const std::string text = JobTable({.width = width}).print(rows, kNow);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(text_width(line), width) << text;
    EXPECT_THAT(text, HasSubstr("a-name-of-a-job-x7k2p"));
    EXPECT_THAT(text, HasSubstr("ValueError"));
  }
  EXPECT_THAT(JobTable({.width = 60}).print(rows, kNow), Not(HasSubstr("ARGUMENTS")));
  EXPECT_THAT(JobTable({.width = 60, .wide = true}).print(rows, kNow), HasSubstr("RESTARTS"));
}

TEST(JobTable, NeverCutsALossAndLeavesOutWhatSaysNothing) {
  std::vector<JobRow> rows = {row({.name = "resnet-baseline-x7k2p"}), row({.name = "resnet-wide-m2q9d"})};
  for (JobRow& one : rows) one.progress = {.step = 123456, .steps = 200000, .loss = 0.03125};
  rows[0].arguments = "--learning-rate 0.1 --batch-size 512";
  rows[1].arguments = "--learning-rate 0.01 --batch-size 512";
  const std::string narrow = JobTable({.width = 80}).print(rows, kNow);
  EXPECT_THAT(narrow, HasSubstr("loss 0.03125"));
  EXPECT_THAT(narrow, Not(HasSubstr("GPUS")));
  EXPECT_THAT(narrow, Not(HasSubstr("REASON")));
  const std::string wider = JobTable({.width = 100}).print(rows, kNow);
  EXPECT_THAT(wider, HasSubstr("ARGUMENTS"));
  EXPECT_THAT(wider, HasSubstr("loss 0.03125"));
  EXPECT_THAT(JobTable({.width = 200}).print(rows, kNow), HasSubstr("GPUS")) << "there is room for all";
  EXPECT_THAT(JobTable({.width = 100, .is_watch = true}).print(rows, kNow), HasSubstr("REASON")) << "there may be one";
}

TEST(JobTable, HasColoursOnATerminalOnly) {
  const std::vector<JobRow> rows = {row({.name = "a"})};
  EXPECT_THAT(JobTable({.color = true}).print(rows, kNow), HasSubstr("a      \x1b[36mRunning\x1b[0m   -"));
  EXPECT_THAT(JobTable({}).print(rows, kNow), Not(HasSubstr("\x1b")));
}

TEST(JobTable, ShowsNothingThatATerminalWouldInterpret) {
  std::vector<JobRow> rows = {row({.name = "a"})};
  rows[0].arguments = "--x \x1b[2J";
  rows[0].reason = "\x1b]0;title\x07";
  EXPECT_THAT(JobTable({}).print(rows, kNow), Not(HasSubstr("\x1b")));
}

TEST(JobTable, OfAWatchPrintsWhatIsNew) {
  JobTable table({.headers = false});
  std::vector<JobRow> rows = {row({.name = "a"})};
  EXPECT_NE(table.print(rows, kNow), "");
  rows[0].progress.epoch = 7;
  EXPECT_EQ(table.print(rows, kNow + std::chrono::hours(1)), "") << "time has passed, and nothing else";
  rows[0].reason = "all running replicas look idle";
  EXPECT_NE(table.print(rows, kNow), "");
}

TEST(ShortCause, IsTheException) {
  EXPECT_EQ(short_cause("replica worker-1 (pod m-692ed-worker-1) ended with exit code 1: ValueError: no such column"),
            "ValueError: no such column");
  EXPECT_EQ(short_cause("rank 3: torch.cuda.OutOfMemoryError: CUDA out of memory.\nmore"),
            "torch.cuda.OutOfMemoryError: CUDA out of memory.");
  EXPECT_EQ(short_cause("replica worker-1 (pod m-692ed-worker-1) ended with exit code 9"),
            "worker-1 ended with exit code 9");
  EXPECT_EQ(short_cause("needs 4 nvidia.com/gpu, there is none"), "needs 4 nvidia.com/gpu, there is none");
  EXPECT_EQ(short_cause(""), "");
}

TEST(CountByPhase, GoesFromTheBeginningToTheEnd) {
  const std::vector<FoundJob> jobs = {row({.name = "a", .phase = "Succeeded"}).found, row({.name = "b"}).found,
                                      row({.name = "c", .phase = "Succeeded"}).found};
  EXPECT_EQ(count_by_phase(jobs), "3 jobs: 1 Running, 2 Succeeded");
  EXPECT_EQ(count_by_phase(std::span(jobs).first(1)), "1 job: 1 Succeeded");
  EXPECT_EQ(count_by_phase({}), "no jobs");
}

TEST(JobChoice, TakesJobsByPhaseAndAge) {
  const auto choice = JobChoice::parse({.phases = "running,Failed", .since = std::chrono::hours(2), .sort_by = ""});
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->admits(row({.name = "a"}).found.object, kNow));
  EXPECT_FALSE(choice->admits(row({.name = "a", .phase = "Succeeded"}).found.object, kNow));
  EXPECT_FALSE(choice->admits(row({.name = "a", .created = "2025-12-31T22:59:59Z"}).found.object, kNow));
  const auto wrong = JobChoice::parse({.phases = "Runing", .since = {}, .sort_by = ""});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("--phase: must be one of Stalled, Pending, Running"));
  EXPECT_THAT(wrong.error().message, HasSubstr("got \"Runing\""));
}

TEST(JobChoice, SortsByWhatTheRowsSay) {
  std::vector<JobRow> rows = {row({.name = "b", .started = "2026-01-01T00:50:00Z"}),
                              row({.name = "c", .phase = "Pending", .started = ""}), row({.name = "a"})};
  rows[0].progress.loss = 0.5;
  rows[2].progress.loss = 0.25;
  const auto sorted = [&rows](const std::string& by) {
    const auto choice = JobChoice::parse({.phases = "", .since = {}, .sort_by = by});
    std::vector<JobRow> copy = rows;
    EXPECT_TRUE(choice && choice->sort(copy, kNow)) << by;
    return names(copy);
  };
  EXPECT_THAT(sorted("name"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(sorted("loss"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(sorted("duration"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(sorted("phase"), ElementsAre("c", "b", "a"));
  EXPECT_THAT(sorted("age"), ElementsAre("b", "c", "a"));
  EXPECT_THAT(sorted(".metadata.name"), ElementsAre("a", "b", "c"));
  EXPECT_FALSE(JobChoice::parse({.phases = "", .since = {}, .sort_by = ".no[("}));
}

}  // namespace
}  // namespace muster::cli
