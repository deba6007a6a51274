// Golden cases: testdata/CASE.in.yaml contains a TensorBoard and the steps that happen to it, testdata/CASE.plan.yaml
// the plan at each step. MUSTER_UPDATE_GOLDEN=1 rewrites the plan; read the difference before committing it.
#include "control/tensorboard/tensorboard.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/kubernetes/apps_v1.h"
#include "base/overloaded.h"
#include "control/tensorboard/log_folders.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
std::vector<AnyObject> as_children(const std::optional<json::Document>& object) {
  if (!object) return {};
  return {*watched_kind<T>().decode(*object)};
}

/// One TensorBoard and its children, kept as an API server would keep them.
class TensorBoardWorld {
 public:
  TensorBoardWorld(json::Document board, TensorBoardOptions options)
      : object(std::move(board)), options_(std::move(options)) {}

  Plan look() const {
    Snapshot seen{.primary = object, .children = {}, .now = now};
    seen.children.add(reflect::type_of<api::Deployment>(), as_children<api::Deployment>(deployment));
    seen.children.add(reflect::type_of<api::Service>(), as_children<api::Service>(service));
    seen.children.add(reflect::type_of<api::Pod>(), as_children<api::Pod>(pod));
    return plan_tensorboard(seen, options_);
  }

  void apply(const Plan& plan) {
    if (plan.status) object["status"] = *plan.status;
    for (const Action& action : plan.actions) {
      if (const auto* create = std::get_if<Create>(&action)) {
        (create->object.string_at("kind") == "Deployment" ? deployment : service) = create->object;
      } else if (const auto* update = std::get_if<Update>(&action)) {
        json::merge_patch(*deployment, update->patch);
      }
    }
  }

  json::Document object;
  std::optional<json::Document> deployment;
  std::optional<json::Document> service;
  std::optional<json::Document> pod;
  Time now = *parse_rfc3339("2026-01-01T00:00:00Z");

 private:
  TensorBoardOptions options_;
};

json::Document shown_board_action(const Action& action, bool with_bodies) {
  return std::visit(Overloaded{
                        [&](const Create& create) -> json::Document {
                          const std::string line = fmt::format("create {} {}", create.object.string_at("kind"),
                                                               create.object.string_at("metadata", "name"));
                          if (!with_bodies) return line;
                          return json::Object{{line, create.object}};
                        },
                        [](const Update& update) -> json::Document {
                          return json::Object{{"update " + update.child.name, update.patch}};
                        },
                        [](const Delete& gone) -> json::Document { return "delete " + gone.child.name; },
                        [](const EmitEvent& event) -> json::Document {
                          return fmt::format("event {} {}: {}", event.type, event.reason, event.message);
                        },
                        [](const DeletePrimary&) -> json::Document { return "delete the TensorBoard"; },
                    },
                    action);
}

json::Document play_board(const json::Document& script) {
  TensorBoardWorld world(*script.find("board"),
                         {.pages_url = script.string_at("pagesUrl"),
                          .idle_after = parse_duration(script.string_at("idleAfter")).value_or(Duration(0))});
  json::Array steps;
  for (const json::Document& step : script.array_at("steps")) {
    world.now += parse_duration(step.string_at("after")).value_or(std::chrono::seconds(1));
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    if (const auto* pod = step.find("pod")) {
      world.pod = pod->is_object() ? std::optional(*pod) : std::nullopt;
    }
    const Plan plan = world.look();
    json::Document shown = json::Object{{"step", step.string_at("step")}};
    json::Array actions;
    for (const Action& action : plan.actions) actions.push_back(shown_board_action(action, script.bool_at("bodies")));
    shown["actions"] = std::move(actions);
    if (plan.recheck_after) shown["recheckAfter"] = human_duration(*plan.recheck_after);
    const json::Document* before = world.object.find("status");
    const bool same = plan.status && before != nullptr && *plan.status == *before;
    if (plan.status && !same) shown["status"] = *plan.status;
    world.apply(plan);
    steps.push_back(std::move(shown));
  }
  return steps;
}

std::filesystem::path board_testdata() {
  return std::filesystem::path(testing::source_dir()) / "src/control/tensorboard/testdata";
}

std::string text_in(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class TensorBoardGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TensorBoardGolden, PlanIsAsWritten) {
  const std::string name = GetParam();
  const auto script = json::parse_yaml(text_in(board_testdata() / (name + ".in.yaml")));
  ASSERT_TRUE(script) << script.error().message;
  const std::string actual = json::to_yaml(play_board(script->front().value));
  const auto path = board_testdata() / (name + ".plan.yaml");
  if (const char* update = std::getenv("MUSTER_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path) << actual;
    return;
  }
  EXPECT_EQ(actual, text_in(path)) << "if the new plan is right: MUSTER_UPDATE_GOLDEN=1 control_test";
}

INSTANTIATE_TEST_SUITE_P(Cases, TensorBoardGolden,
                         ::testing::Values("fresh", "several", "suspended", "failed", "deleted", "unshowable", "idle"),
                         [](const auto& golden) { return std::string(golden.param); });

// ---- log folders ----

TEST(LogSources, BothFormsAreOneListWithoutRepetitions) {
  api::TensorBoardSpec spec;
  spec.training_log_filesets = {"t9k://pvc/tutorial/a/log", "t9k://pvc/mnist"};
  spec.log_dir = api::TensorBoardLogDir{
      .pvc = {{.name = "tutorial", .sub_path = {"./a//log/", "b"}}, {.name = "all", .sub_path = {}}},
      .s3 = std::nullopt,
      .http = std::nullopt};
  const LogSources sources = log_sources(spec);
  EXPECT_THAT(sources.folders, ElementsAre(LogFolder{"tutorial", "a/log"}, LogFolder{"mnist", ""},
                                           LogFolder{"tutorial", "b"}, LogFolder{"all", ""}));
  EXPECT_THAT(sources.unsupported, IsEmpty());
}

TEST(LogSources, WhatIsNoFolderOfAClaimIsUnsupported) {
  api::TensorBoardSpec spec;
  spec.training_log_filesets = {"t9k://minio/secret/bucket/log", "t9k://pvc/a/../b"};
  spec.log_dir =
      api::TensorBoardLogDir{.pvc = {},
                             .s3 = api::TensorBoardS3Source{.secret_ref = std::nullopt, .uri = {"s3://bucket/log"}},
                             .http = api::TensorBoardHttpSource{.url = {"http://logs"}}};
  const LogSources sources = log_sources(spec);
  EXPECT_THAT(sources.folders, IsEmpty());
  EXPECT_THAT(sources.unsupported,
              ElementsAre("t9k://minio/secret/bucket/log", "t9k://pvc/a/../b", "s3://bucket/log", "http://logs"));
}

}  // namespace
}  // namespace muster::control
