#include "jobs/differing_arguments.h"

#include <gmock/gmock.h>

namespace muster::jobs {
namespace {

using ::testing::ElementsAre;

TEST(DifferingArguments, AreThoseThatNotAllJobsHave) {
  EXPECT_THAT(differing_arguments({{"python", "train.py", "--lr", "0.1", "--seed", "1", "--amp"},
                                   {"python", "train.py", "--lr", "0.01", "--seed", "1", "--amp"},
                                   {"python", "train.py", "--lr=0.1", "--seed", "1", "--amp", "--shift", "-3"}}),
              ElementsAre("--lr 0.1", "--lr 0.01", "--lr=0.1 --shift -3"));
}

TEST(DifferingArguments, OfDifferentProgramsNameThem) {
  EXPECT_THAT(differing_arguments({{"python", "train.py"}, {"python", "eval.py"}, {}}),
              ElementsAre("python train.py", "python eval.py", ""));
}

TEST(DifferingArguments, OfOneJobAreNone) {
  EXPECT_THAT(differing_arguments({{"python", "train.py", "--lr", "0.1"}}), ElementsAre(""));
  EXPECT_TRUE(differing_arguments({}).empty());
}

TEST(CommandOf, IsEmptyWhereThereIsNone) {
  EXPECT_TRUE(command_of(json::Object{{"kind", "Pod"}, {"apiVersion", "v1"}}).empty());
  EXPECT_TRUE(command_of(json::Object{{"kind", "PyTorchJob"}, {"apiVersion", "kubeflow.org/v1"}, {"spec", 3}}).empty());
}

}  // namespace
}  // namespace muster::jobs
