// Golden cases: testdata/CASE.in.yaml is a job and the steps that happen to it, testdata/CASE.plan.yaml what decide
// says at each step. MUSTER_UPDATE_GOLDEN=1 rewrites the latter; read the difference before committing it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "control/job/job_world.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "reflect/reflect.h"
#include "testing/source_dir.h"

namespace muster::control {
namespace {

namespace fs = std::filesystem;

fs::path testdata() {
  return fs::path(testing::source_dir()) / "src/control/job/testdata";
}

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(testdata())) {
    const std::string file = entry.path().filename();
    constexpr std::string_view kEnding = ".in.yaml";
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - kEnding.size()));
  }
  std::ranges::sort(names);
  return names;
}

PodNews news_from(const json::Document& text) {
  PodNews news;
  news.phase = text.string_at("phase");
  news.reason = text.string_at("reason");
  news.message = text.string_at("message");
  news.node = text.string_at("node");
  news.unschedulable = text.string_at("unschedulable");
  news.deleting = text.bool_at("deleting");
  news.gone = text.bool_at("gone");
  if (text.find("exitCode") != nullptr) news.exit_code = static_cast<int>(text.int_at("exitCode"));
  return news;
}

json::Document step_document(const std::string& name, const JobPlan& plan, const json::Document& before,
                             const json::Document& after) {
  json::Document step = json::Object{{"step", name}};
  json::Array actions;
  for (const Action& action : plan.actions) actions.push_back(action_document(action));
  step["actions"] = std::move(actions);
  if (plan.recheck_after) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*plan.recheck_after).count();
    step["recheckAfter"] = fmt::format("{}ms", ms);
  }
  json::Array reasons;
  for (const auto& reason : plan.reasons) reasons.emplace_back(reason);
  step["reasons"] = std::move(reasons);
  if (const auto* status = after.find("status")) {
    const bool same = before.find("status") != nullptr && *before.find("status") == *status;
    step["status"] = same ? json::Document("unchanged") : *status;
  }
  return step;
}

json::Document play(const json::Document& script) {
  const Where where = script.string_at("network") == "perPod" ? Where::kCluster : Where::kEngine;
  JobWorld world(*script.find("job"), where, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.graceful = script.bool_at("graceful");
  if (script.bool_at("noPort")) world.offered_port.reset();
  json::Array steps;
  for (const auto& step : script.find("steps")->as_array()) {
    if (const auto* after = step.find("after")) world.now += *parse_duration(after->as_string());
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    if (const auto* happened = step.find("pods")) {
      for (const auto& [pod, news] : happened->as_object()) world.happen(pod, news_from(news));
    }
    const JobPlan plan = world.look();
    const json::Document before = world.object;
    world.apply(plan);
    steps.push_back(step_document(step.string_at("step"), plan, before, world.object));
  }
  return steps;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, PlanIsAsWritten) {
  const auto script = json::parse_yaml(read_text(testdata() / (GetParam() + ".in.yaml")));
  ASSERT_TRUE(script) << script.error().message;
  ASSERT_EQ(script->size(), 1u);
  const std::string actual = json::to_yaml(play(script->front().value));
  const fs::path path = testdata() / (GetParam() + ".plan.yaml");
  if (const char* update = std::getenv("MUSTER_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path) << actual;
    return;
  }
  EXPECT_EQ(actual, read_text(path)) << "if the new plan is right: MUSTER_UPDATE_GOLDEN=1 control_test";
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(case_names()), [](const auto& golden) {
  std::string name = golden.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(GoldenCases, AreThere) {
  EXPECT_GE(case_names().size(), 20u);
}

}  // namespace
}  // namespace muster::control
