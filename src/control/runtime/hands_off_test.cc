#include "control/runtime/hands_off.h"

#include <gmock/gmock.h>

#include "json/yaml.h"

namespace muster::control {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Time kCreated = *parse_rfc3339("2026-01-01T00:00:00Z");

json::Document job(const std::string& status, const std::string& managers = "") {
  return json::parse_yaml(
             "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: mnist, creationTimestamp: "
             "'2026-01-01T00:00:00Z', managedFields: [" +
             managers + "]}, spec: {}, status: " + status + "}")
      ->front()
      .value;
}

const std::string kRunning = "{conditions: [{type: Running, status: 'True'}]}";
const std::string kSucceeded = "{conditions: [{type: Succeeded, status: 'True'}]}";

std::string manager(const std::string& name, const std::string& subresource) {
  return "{manager: " + name + ", operation: Update, subresource: " + subresource + "}";
}

TEST(OtherWriter, IsAProgramThatWritesTheStatus) {
  EXPECT_EQ(other_writer_of_status(job("{}", manager("training-operator", "status"))), "training-operator");
  EXPECT_EQ(other_writer_of_status(job("{}", manager("kueue", "scale") + "," + manager("manager", "''"))), "");
  for (const char* ours : {"muster-operator", "muster", "muster-patch", "kubectl-edit", "kubectl"}) {
    EXPECT_EQ(other_writer_of_status(job("{}", manager(ours, "status"))), "") << ours;
  }
}

TEST(HandsOff, ARefusedJobGetsOneConditionInFrontAndOneWarning) {
  json::Document object = job(kRunning);
  const HandsOff first = refuse_object(object, "the CRD prunes it", kCreated);
  ASSERT_TRUE(first.plan.status.has_value());
  const json::Array& conditions = first.plan.status->array_at("conditions");
  ASSERT_THAT(conditions, SizeIs(2));
  EXPECT_EQ(conditions.front().string_at("type"), "MusterRefused");
  EXPECT_EQ(conditions.front().string_at("message"), "the CRD prunes it");
  EXPECT_EQ(conditions.back().string_at("type"), "Running") << "the last one is the state of the job";
  EXPECT_THAT(first.plan.actions, SizeIs(1));
  object["status"] = *first.plan.status;
  const HandsOff again = refuse_object(object, "the CRD prunes it", kCreated);
  EXPECT_FALSE(again.plan.status.has_value());
  EXPECT_THAT(again.plan.actions, IsEmpty());
  const HandsOff other = refuse_object(object, "for another reason", kCreated);
  EXPECT_THAT(other.plan.status->array_at("conditions"), SizeIs(2)) << "it replaces the first";
}

TEST(HandsOff, NothingIsSaidAboutAJobThatHasEnded) {
  json::Document deleted = job(kRunning);
  deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:09Z";
  for (const json::Document& over : {job(kSucceeded), deleted}) {
    EXPECT_FALSE(refuse_object(over, "why", kCreated).plan.status.has_value());
    EXPECT_THAT(refuse_object(over, "why", kCreated).plan.actions, IsEmpty());
    EXPECT_THAT(leave_to_writer(over, "training-operator").plan.actions, IsEmpty());
  }
}

TEST(HandsOff, AJobThatAnotherControllerWritesIsNeverWritten) {
  const HandsOff left = leave_to_writer(job(kRunning), "training-operator");
  EXPECT_FALSE(left.plan.status.has_value());
  ASSERT_THAT(left.plan.actions, SizeIs(1));
  EXPECT_EQ(std::get<EmitEvent>(left.plan.actions.front()).message,
            "training-operator writes the status of this object, so Muster leaves it alone");
}

TEST(HandsOff, AnotherOperatorHasAMinuteToTakeAJob) {
  const std::string who = "training-operator (Lease kubeflow/l)";
  const auto at = [&](const json::Document& object, int seconds) {
    return leave_to_operator(object, "pytorchjobs.kubeflow.org", who, kCreated + std::chrono::seconds(seconds)).plan;
  };
  EXPECT_THAT(at(job("{}"), 20).actions, IsEmpty());
  EXPECT_EQ(at(job("{}"), 20).recheck_after, Duration(std::chrono::seconds(40)));
  EXPECT_THAT(at(job(kRunning, manager("training-operator", "status")), 90).actions, IsEmpty());
  const Plan late = at(job("{}"), 90);
  ASSERT_THAT(late.actions, SizeIs(1));
  EXPECT_EQ(std::get<EmitEvent>(late.actions.front()).message,
            who +
                " runs pytorchjobs.kubeflow.org, so Muster leaves this object alone; to change that, stop it or run "
                "`muster operator --kinds pytorchjobs.kubeflow.org=on`");
}

}  // namespace
}  // namespace muster::control
