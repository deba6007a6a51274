#include "cli/objects/wait_for.h"

#include <gtest/gtest.h>

#include "cli/objects/object_state.h"

namespace muster::cli {
namespace {

bool met(const std::string& what, std::string_view object) {
  auto wait = WaitFor::parse(what);
  EXPECT_TRUE(wait.has_value()) << what;
  const json::Document document = *json::parse(object);
  return wait->met(&document);
}

constexpr std::string_view kRunning =
    R"({"metadata":{"generation":2},"status":{"phase":"Running","conditions":[{"type":"Running","status":"True"},
        {"type":"Failed","status":"False"}],"tasks":[{"replicas":[{"name":"a"}]}]}})";

TEST(WaitFor, Conditions) {
  EXPECT_TRUE(met("condition=Running", kRunning));
  EXPECT_TRUE(met("condition=running=true", kRunning));
  EXPECT_FALSE(met("condition=Failed", kRunning));
  EXPECT_TRUE(met("condition=Failed=False", kRunning));
  EXPECT_FALSE(met("condition=Ready", kRunning));
}

TEST(WaitFor, IgnoresConditionsOfAnOlderGeneration) {
  EXPECT_FALSE(met("condition=Ready", R"({"metadata":{"generation":2},"status":{"observedGeneration":1,
      "conditions":[{"type":"Ready","status":"True"}]}})"));
  EXPECT_TRUE(met("condition=Ready", R"({"metadata":{"generation":2},"status":{"observedGeneration":2,
      "conditions":[{"type":"Ready","status":"True"}]}})"));
}

TEST(WaitFor, JsonPaths) {
  EXPECT_TRUE(met("jsonpath={.status.phase}=Running", kRunning));
  EXPECT_TRUE(met("jsonpath=.status.phase=Running", kRunning));
  EXPECT_FALSE(met("jsonpath={.status.phase}=Failed", kRunning));
  EXPECT_TRUE(met("jsonpath={.status.tasks[0].replicas[0].name}", kRunning));
  EXPECT_FALSE(met("jsonpath={.status.nothing}", kRunning));
  EXPECT_TRUE(met(R"(jsonpath={.status.conditions[?(@.type=="Running")].status}=True)", kRunning));
  EXPECT_TRUE(met(R"(jsonpath=.status.conditions[?(@.type=="Running")])", kRunning));
}

TEST(WaitFor, DeletionAndCreation) {
  const json::Document object = *json::parse(kRunning);
  EXPECT_TRUE(WaitFor::parse("delete")->met(nullptr));
  EXPECT_FALSE(WaitFor::parse("delete")->met(&object));
  EXPECT_FALSE(WaitFor::parse("create")->met(nullptr));
  EXPECT_TRUE(WaitFor::parse("create")->met(&object));
}

TEST(WaitFor, TheEnd) {
  EXPECT_FALSE(met("", kRunning));
  EXPECT_TRUE(met("", R"({"status":{"phase":"Failed"}})"));
  EXPECT_TRUE(met("", R"({"status":{"conditions":[{"type":"Succeeded","status":"True"}]}})"));
}

TEST(WaitFor, ListsTheChoices) {
  EXPECT_EQ(
      WaitFor::parse("ready").error().message,
      "--for: must be condition=NAME, condition=NAME=VALUE, jsonpath=PATH, jsonpath=PATH=VALUE, delete or create, "
      "got \"ready\"");
}

TEST(ObjectState, ReadsBothVocabularies) {
  const auto of = [](std::string_view text) { return *json::parse(text); };
  EXPECT_EQ(object_end(of(R"({"status":{"phase":"Succeeded"}})")), ObjectEnd::kSucceeded);
  EXPECT_EQ(object_end(of(R"({"status":{"phase":"Paused"}})")), ObjectEnd::kUnfinished);
  EXPECT_EQ(object_end(of(R"({"status":{"conditions":[{"type":"Failed","status":"True"}]}})")), ObjectEnd::kFailed);
  EXPECT_EQ(object_end(of("{}")), ObjectEnd::kUnfinished);
  EXPECT_EQ(object_phase(of("{}")), "Pending");
  EXPECT_EQ(
      object_phase(
          of(R"({"status":{"conditions":[{"type":"Created","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},
      {"type":"Running","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"}]}})")),
      "Running");
  EXPECT_EQ(
      object_message(of(
          R"({"status":{"phase":"Failed","conditions":[{"type":"Failed","status":"True","message":"exit code 3"}]}})")),
      "exit code 3");
}

TEST(ObjectState, OfAJobIsThatOfItsSummary) {
  const json::Document stopped = *json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"GenericJob",
      "status":{"phase":"Failed","conditions":[{"type":"Failed","status":"True","reason":"Stopped","message":"m"}]}})");
  EXPECT_EQ(object_end(stopped), ObjectEnd::kStopped);
  EXPECT_EQ(object_phase(stopped), "Stopped");
  EXPECT_EQ(object_message(stopped), "m");
  const json::Document suspended = *json::parse(R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob",
      "status":{"conditions":[{"type":"Suspended","status":"True"}]}})");
  EXPECT_EQ(object_phase(suspended), "Paused");
}

}  // namespace
}  // namespace muster::cli
