#include "cli/objects/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_server.h"
#include "testing/sim_loop.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

struct Parsed {
  std::vector<Manifest> manifests;
  std::string error;
  std::string warnings;
};

Parsed parse(const std::string& text) {
  muster::testing::SimLoop loop;
  FakeServer server(loop);
  client::ApiClient api(server, "");
  Parsed out;
  Terminal terminal;
  terminal.err = [&](std::string_view line) { out.warnings += line; };
  Session session(
      loop, api, [](const std::function<bool()>&) {}, terminal, "default");
  auto parsed = parse_manifests(std::make_shared<const Source>(Source{"job.yaml", text}), session);
  if (auto* failure = std::get_if<Failure>(&parsed)) {
    out.error = error_text(*failure);
  } else {
    out.manifests = std::get<0>(std::move(parsed));
  }
  return out;
}

const char* const kJob =
    "apiVersion: batch.tensorstack.dev/v1beta1\n"
    "kind: PyTorchTrainingJob\n"
    "metadata:\n"
    "  name: mnist\n"
    "spec:\n"
    "  replicaSpecs:\n"
    "    - type: worker\n"
    "      replica: 2\n"
    "      replicas: 0\n";

TEST(Manifests, ShowsTheLineOfASyntaxError) {
  const std::string error = parse("kind: Pod\nmetadata:\n  name: [a\n").error;
  EXPECT_TRUE(error.starts_with("error: job.yaml:")) << error;
  EXPECT_NE(error.find(" │ "), std::string::npos) << error;
  EXPECT_NE(error.find("^\n"), std::string::npos) << error;
}

TEST(Manifests, NamesEverythingThatIsMissing) {
  EXPECT_EQ(parse("a: 1\n").error,
            "error: job.yaml:1:1: apiVersion is missing\n"
            "  1 │ a: 1\n"
            "    │ ^\n"
            "error: job.yaml:1:1: kind is missing\n"
            "  1 │ a: 1\n"
            "    │ ^\n"
            "error: job.yaml:1:1: metadata.name is missing\n"
            "  1 │ a: 1\n"
            "    │ ^\n");
}

TEST(Manifests, ReadsSeveralDocumentsAndLists) {
  const Parsed parsed = parse(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n"
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: b\n"
      "- apiVersion: v1\n  kind: Pod\n  metadata: {name: c}\n");
  ASSERT_EQ(parsed.manifests.size(), 3U) << parsed.error;
  EXPECT_EQ(parsed.manifests[0].name(), "a");
  EXPECT_EQ(parsed.manifests[1].name(), "b");
  EXPECT_EQ(parsed.manifests[2].name(), "c");
  EXPECT_EQ(parsed.manifests[1].mark_of("metadata.name").line, 11);
}

TEST(Manifests, ShowsTheServersCausesInTheFile) {
  const Parsed parsed = parse(kJob);
  ASSERT_EQ(parsed.manifests.size(), 1U) << parsed.error;
  const Error error{
      .reason = Reason::kInvalid,
      .message = "PyTorchTrainingJob \"mnist\" is invalid",
      .causes = {{"FieldValueInvalid", "Invalid value: 0: must be at least 1", "spec.replicaSpecs[0].replicas"}}};
  const Failure failure = refused(parsed.manifests[0], error);
  EXPECT_EQ(error_text(failure),
            "error: job.yaml:9:7: spec.replicaSpecs[0].replicas: Invalid value: 0: must be at least 1\n"
            "  9 │       replicas: 0\n"
            "    │       ^\n");
  EXPECT_EQ(failure.code, kExitFailed);
}

TEST(Manifests, PointsAtTheNearestFieldForOneThatIsAbsent) {
  const Parsed parsed = parse(kJob);
  const Error error{
      .reason = Reason::kInvalid,
      .message = "invalid",
      .causes = {{"FieldValueRequired", "Required value", "spec.replicaSpecs[0].template.spec.containers"}}};
  EXPECT_EQ(error_text(refused(parsed.manifests[0], error)),
            "error: job.yaml:7:7: spec.replicaSpecs[0].template.spec.containers: Required value\n"
            "  7 │     - type: worker\n"
            "    │       ^\n");
}

TEST(Manifests, FindsUnknownFieldsAgain) {
  const Parsed parsed = parse(kJob);
  const Error error{.reason = Reason::kBadRequest,
                    .message = "strict decoding error: unknown field \"spec.replicaSpecs[0].replica\""};
  EXPECT_EQ(error_text(refused(parsed.manifests[0], error)),
            "error: job.yaml:8:7: unknown field \"spec.replicaSpecs[0].replica\"; did you mean \"replicas\"?\n"
            "  8 │       replica: 2\n"
            "    │       ^\n");
}

TEST(Manifests, FindsWrongTypesAgain) {
  const Parsed parsed = parse(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: 5\n    command: "
      "x\n"
      "    resources:\n      limits:\n        memory: 1GiB\n");
  const Error error{.reason = Reason::kBadRequest,
                    .message = "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal number"};
  const std::string text = error_text(refused(parsed.manifests[0], error));
  EXPECT_THAT(text, HasSubstr("error: job.yaml:7:5: spec.containers[0].image: Invalid value: \"integer\""));
  EXPECT_THAT(text, HasSubstr("  7 │     image: 5\n    │     ^\n"));
  EXPECT_THAT(text, HasSubstr("error: job.yaml:8:5: spec.containers[0].command: "));
  EXPECT_THAT(text, HasSubstr("error: job.yaml:11:9: spec.containers[0].resources.limits.memory: "));
  EXPECT_THAT(text, HasSubstr("did you mean \"1Gi\"?"));
}

TEST(Manifests, SaysNothingOfRequestsThatNobodyWrote) {
  const Parsed parsed = parse(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    resources:\n      "
      "limits:\n"
      "        memory: 1GiB\n");
  const Error error{.reason = Reason::kInvalid,
                    .message = "invalid",
                    .causes = {{"FieldValueInvalid", "bad", "spec.containers[0].resources.requests.memory"},
                               {"FieldValueInvalid", "bad", "spec.containers[0].resources.limits.memory"}}};
  EXPECT_EQ(error_text(refused(parsed.manifests[0], error)),
            "error: job.yaml:9:9: spec.containers[0].resources.limits.memory: bad\n"
            "  9 │         memory: 1GiB\n"
            "    │         ^\n");
}

TEST(Manifests, RepeatsTheServerWhereItKnowsNoPlace) {
  const Parsed parsed = parse("apiVersion: v1\nkind: Unknown\nmetadata: {name: a}\n");
  EXPECT_EQ(error_text(refused(parsed.manifests[0], {.reason = Reason::kForbidden, .message = "not allowed"})),
            "error: job.yaml: not allowed\n");
}

}  // namespace
}  // namespace muster::cli
