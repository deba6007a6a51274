#include "install/objects/verify_job.h"

#include <gmock/gmock.h>

namespace muster::install {
namespace {

TEST(VerifyJob, HasTwoRanksOfTheImageAndPassesValidation) {
  for (const char* typed : {"pytorchtrainingjob", "pytorchjob"}) {
    const api::Resource& kind = *api::find_typed(typed);
    const json::Document job = verify_job(kind, "registry.example/torch");
    EXPECT_TRUE(kind.check(job).empty()) << typed;
    EXPECT_THAT(json::serialize(job), ::testing::HasSubstr(R"("image":"registry.example/torch")"));
  }
}

TEST(VerifyJob, SucceedsOnlyIfTheLossFell) {
  const auto fell = losses_in("warming up\nstep 1 loss 4.5\nstep 10 loss 0.25\n");
  ASSERT_TRUE(fell);
  EXPECT_EQ(fell->first, "4.5");
  EXPECT_EQ(fell->last, "0.25");
  EXPECT_FALSE(losses_in("step 1 loss 0.5\nstep 10 loss 0.6\n"));
  EXPECT_FALSE(losses_in("step 1 loss 0.5\nstep 10 loss nan\n"));
  EXPECT_FALSE(losses_in("step 1 loss 0.5\n"));
  EXPECT_FALSE(losses_in(""));
}

}  // namespace
}  // namespace muster::install
