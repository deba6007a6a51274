#include "jobs/arguments.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace muster::jobs {
namespace {

std::string arguments_in(const std::string& line) {
  const std::vector<std::string> command = split(line, ' ');
  const auto begin = begin_of_arguments(command);
  if (!begin) return "unknown";
  return join({command.begin() + static_cast<std::ptrdiff_t>(*begin), command.end()}, " ");
}

TEST(Arguments, BeginAfterTheScript) {
  EXPECT_EQ(arguments_in("python train.py --lr 0.1"), "--lr 0.1");
  EXPECT_EQ(arguments_in("/venv/bin/python3 -u src/train.py"), "");
  EXPECT_EQ(arguments_in("torchrun --nproc-per-node 4 train.py --lr 0.1"), "--lr 0.1");
  EXPECT_EQ(arguments_in("python -m torch.distributed.run --nnodes 1 train.py a"), "a");
  EXPECT_EQ(arguments_in("python -m pkg.train --lr 0.1"), "--lr 0.1");
  EXPECT_EQ(arguments_in("mpirun -np 4 python train.py x"), "x");
  EXPECT_EQ(arguments_in("bash run.sh 1 2"), "1 2");
  EXPECT_EQ(arguments_in("./trainer --lr 1"), "--lr 1");
  EXPECT_EQ(arguments_in("train.py --lr 1"), "--lr 1") << "the image names the program";
}

TEST(Arguments, OfALineForAShellAreUnknown) {
  EXPECT_EQ(arguments_in("sh -c sleep"), "unknown");
  EXPECT_EQ(arguments_in("bash -lc x"), "unknown");
  EXPECT_EQ(arguments_in("python -c print(1)"), "unknown");
  EXPECT_EQ(arguments_in("torchrun --help"), "unknown");
}

json::Document job_that_runs(const std::string& containers) {
  return *json::parse(
      R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":{"name":"mnist"},)"
      R"("spec":{"replicaSpecs":[{"type":"worker","replicas":2,"template":{"spec":{"containers":)" +
      containers + "}}}]}}");
}

std::string replaced(const std::string& containers) {
  json::Document job = job_that_runs(containers);
  const Status done = replace_arguments(job, {"--lr", "1"});
  if (!done) return done.error().message;
  return json::serialize(
      job.array_at("spec", "replicaSpecs")[0].at("template", "spec", "containers")->as_array().back());
}

TEST(Arguments, AreReplacedWhereTheirAuthorWroteThem) {
  EXPECT_EQ(replaced(R"([{"name":"pytorch","command":["python","train.py","--lr","0.1"]}])"),
            R"({"name":"pytorch","command":["python","train.py","--lr","1"]})");
  EXPECT_EQ(replaced(R"([{"name":"pytorch","command":["python"],"args":["train.py","--lr","0.1"]}])"),
            R"({"name":"pytorch","command":["python"],"args":["train.py","--lr","1"]})");
  EXPECT_EQ(replaced(R"([{"name":"pytorch","command":["python","train.py"],"args":["--lr","0.1"]}])"),
            R"({"name":"pytorch","command":["python","train.py"],"args":["--lr","1"]})");
  EXPECT_EQ(replaced(R"([{"name":"pytorch","args":["train.py"]}])"),
            R"({"name":"pytorch","args":["train.py","--lr","1"]})");
}

TEST(Arguments, OfTheTrainingContainerAreMeant) {
  EXPECT_EQ(replaced(R"([{"name":"sidecar","image":"i","command":["python","watch.py"]},)"
                     R"({"name":"pytorch","image":"i","command":["python","train.py"]}])"),
            R"({"name":"pytorch","image":"i","command":["python","train.py","--lr","1"]})");
}

TEST(Arguments, OfAnMpiJobAreThoseOfItsScript) {
  json::Document job =
      *json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"MPIJob","metadata":{"name":"h"},"spec":)"
                   R"({"mpiConfig":{"script":["python","/x/train.py","--log_dir","log"]}}})");
  ASSERT_TRUE(replace_arguments(job, {"--no_cuda"}));
  EXPECT_EQ(json::serialize(*job.at("spec", "mpiConfig", "script")), R"(["python","/x/train.py","--no_cuda"])");
}

TEST(Arguments, OfAJobThatRunsAShellLineCannotBeReplaced) {
  EXPECT_EQ(replaced(R"([{"name":"pytorch","command":["sh","-c","python train.py"]}])"),
            "mnist: its command runs no script whose arguments could be replaced; copy the job with muster get -o yaml "
            "and change its command");
}

}  // namespace
}  // namespace muster::jobs
