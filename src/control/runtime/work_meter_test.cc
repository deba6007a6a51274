#include "control/runtime/work_meter.h"

#include <gmock/gmock.h>

namespace muster::control {
namespace {

using jobs::Phase;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

class WorkMeterTest : public ::testing::Test {
 protected:
  void see(const std::string& job, Phase phase, int ms = 0) {
    meter_.job_seen("kubeflow.org/v1", "PyTorchJob", job, phase, MonoTime(milliseconds(ms)));
  }
  std::string text() const {
    std::string out;
    meter_.append(out);
    return out;
  }
  static std::string jobs(const std::string& state, int count) {
    return "muster_operator_jobs{group=\"kubeflow.org\",kind=\"PyTorchJob\",state=\"" + state + "\"} " +
           std::to_string(count) + "\n";
  }
  static std::string count_of(const std::string& name, int count) {
    return name + "_count{group=\"kubeflow.org\",kind=\"PyTorchJob\"} " + std::to_string(count) + "\n";
  }

  WorkMeter meter_;
};

TEST_F(WorkMeterTest, AJobIsCountedInTheStateThatItHas) {
  see("a", Phase::kNew);
  see("b", Phase::kNew);
  see("a", Phase::kRunning);
  see("a", Phase::kRunning);
  EXPECT_THAT(text(), HasSubstr(jobs("New", 1)));
  EXPECT_THAT(text(), HasSubstr(jobs("Running", 1)));
  meter_.job_gone("a");
  meter_.job_gone("never seen");
  EXPECT_THAT(text(), HasSubstr(jobs("Running", 0)));
}

TEST_F(WorkMeterTest, TheTimesOfANewJobAreMeasuredOnce) {
  meter_.open();
  see("a", Phase::kNew, 1000);
  meter_.pods_created("a", MonoTime(milliseconds(1040)));
  meter_.pods_created("a", MonoTime(milliseconds(9000)));
  see("a", Phase::kPending, 1050);
  see("a", Phase::kRunning, 3000);
  see("a", Phase::kPending, 4000);
  see("a", Phase::kRunning, 9000);
  EXPECT_THAT(text(), HasSubstr(count_of("muster_operator_job_pods_created_seconds", 1)));
  EXPECT_THAT(text(), HasSubstr("pods_created_seconds_sum{group=\"kubeflow.org\",kind=\"PyTorchJob\"} 0.04\n"));
  EXPECT_THAT(text(), HasSubstr(count_of("muster_operator_job_running_seconds", 1)));
  EXPECT_THAT(text(), HasSubstr("running_seconds_sum{group=\"kubeflow.org\",kind=\"PyTorchJob\"} 2\n"));
}

TEST_F(WorkMeterTest, JobsThatWereThereBeforeHaveNoTimes) {
  see("old", Phase::kNew);
  meter_.open();
  see("old", Phase::kRunning, 10);
  meter_.pods_created("old", MonoTime(milliseconds(10)));
  see("taken over", Phase::kPending, 20);
  see("taken over", Phase::kRunning, 30);
  EXPECT_THAT(text(), Not(HasSubstr("seconds_count")));
}

TEST_F(WorkMeterTest, LooksAreCountedByTheirEnd) {
  const auto look = [&](const Status& result) {
    meter_.reconciled("kubeflow.org/v1", "PyTorchJob", milliseconds(2), result);
  };
  look(ok());
  look(ok());
  look(Error{.reason = Reason::kConflict, .message = "changed"});
  look(Error{.reason = Reason::kForbidden, .message = "no"});
  const std::string head = "muster_operator_reconciles_total{group=\"kubeflow.org\",kind=\"PyTorchJob\",result=";
  for (const char* line : {"\"ok\"} 2\n", "\"conflict\"} 1\n", "\"error\"} 1\n"})
    EXPECT_THAT(text(), HasSubstr(head + line));
  EXPECT_THAT(text(), HasSubstr(count_of("muster_operator_reconcile_duration_seconds", 4)));
}

}  // namespace
}  // namespace muster::control
