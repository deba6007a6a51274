// Golden cases: testdata/CASE.in.yaml is a job and the steps that happen to it, testdata/CASE.plan.yaml what decide says
// at each step. MUSTER_UPDATE_GOLDEN=1 rewrites the latter; read the difference before committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "control/job/job_world.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::control {
namespace {

namespace fs = std::filesystem;

fs::path testdata() { return fs::path(MUSTER_SOURCE_DIR) / "src/control/job/testdata"; }

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

json::Document action_document(const Action& action) {
  if (const auto* pod = std::get_if<CreatePod>(&action)) return json::Object{{"createPod", reflect::encode(pod->pod)}};
  if (const auto* service = std::get_if<CreateService>(&action)) {
    return json::Object{{"createService", reflect::encode(service->service)}};
  }
  if (const auto* pod = std::get_if<DeletePod>(&action)) return json::Object{{"deletePod", pod->name + " " + pod->uid}};
  if (const auto* service = std::get_if<DeleteService>(&action)) return json::Object{{"deleteService", service->name}};
  if (const auto* event = std::get_if<EmitEvent>(&action)) {
    return json::Object{{"event", event->type + " " + event->reason + ": " + event->message}};
  }
  return "deleteJob";
}

json::Document step_document(const std::string& name, const Plan& plan, const json::Document& object) {
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
  if (plan.status && object.find("status") != nullptr) step["status"] = *object.find("status");
  return step;
}

json::Document play(const json::Document& script) {
  const Network network = script.string_at("network") == "perPod" ? Network::kPerPod : Network::kShared;
  JobWorld world(*script.find("job"), network, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.graceful = script.bool_at("graceful");
  if (script.bool_at("noPort")) world.offered_port.reset();
  json::Array steps;
  for (const auto& step : script.find("steps")->as_array()) {
    if (const auto* after = step.find("after")) world.now += *parse_duration(after->as_string());
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    if (const auto* happened = step.find("pods")) {
      for (const auto& [pod, news] : happened->as_object()) world.happen(pod, news_from(news));
    }
    const Plan plan = world.look();
    world.apply(plan);
    steps.push_back(step_document(step.string_at("step"), plan, world.object));
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

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(case_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(GoldenCases, AreThere) { EXPECT_GE(case_names().size(), 20u); }

}  // namespace
}  // namespace muster::control
