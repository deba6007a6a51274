// Golden cases: testdata/CASE.in.yaml contains a job and the steps that happen to it, testdata/CASE.plan.yaml the plan
// of decide at each step: one line per action, and the changes of the status. A case that lists children under `bodies`
// prints them and its status in full; for pods under `launches` it prints what they run. MUSTER_UPDATE_GOLDEN=1
// rewrites the plan; read the difference before committing it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "json/patch.h"
#include "json/yaml.h"
#include "reflect/reflect.h"
#include "testing/job_story.h"
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

using Names = std::set<std::string>;

Names names_in(const json::Document* list) {
  Names names;
  if (list == nullptr) return names;
  for (const auto& name : list->as_array()) names.insert(name.as_string());
  return names;
}

/// Returns command and environment of a pod's training container.
json::Document launch_of(const json::Document& pod) {
  const json::Array& containers = pod.array_at("spec", "containers");
  const auto named = std::ranges::find_if(containers, [](const auto& c) { return c.string_at("name") == "pytorch"; });
  const json::Document& container = named == containers.end() ? containers.front() : *named;
  json::Document launch = json::Object{};
  for (const char* part : {"command", "args", "ports"}) {
    if (const auto* found = container.find(part)) launch[part] = *found;
  }
  json::Array env;
  for (const auto& entry : container.array_at("env")) {
    env.emplace_back(entry.string_at("name") + "=" + entry.string_at("value"));
  }
  launch["env"] = std::move(env);
  if (const auto* init = pod.at("spec", "initContainers")) launch["initContainers"] = *init;
  return launch;
}

/// The children that a case prints with more than one line.
struct Shown {
  Names bodies;
  Names launches;
};

json::Document action_document(const Action& action, const Shown& shown) {
  const auto* create = std::get_if<Create>(&action);
  if (create == nullptr) return action_line(action);
  const std::string& name = create->object.string_at("metadata", "name");
  if (shown.bodies.contains(name)) return json::Object{{action_line(action), create->object}};
  const bool is_pod = create->object.string_at("kind") == "Pod";
  if (is_pod && shown.launches.contains(name)) return json::Object{{action_line(action), launch_of(create->object)}};
  return action_line(action);
}

/// "Running True PyTorchJobRunning since 2026-01-01T00:00:01Z: PyTorchJob mnist is running."
json::Document condition_line(const json::Document& condition) {
  return fmt::format("{} {} {} since {}: {}", condition.string_at("type"), condition.string_at("status"),
                     condition.string_at("reason"), condition.string_at("lastTransitionTime"),
                     condition.string_at("message"));
}

/// "mnist-worker-0 Failed pod-2 [pytorch Terminated 137]"
json::Document replica_line(const json::Document& replica) {
  std::string line = replica.string_at("name") + " " + replica.string_at("phase");
  if (replica.find("uid") != nullptr) line += " " + replica.string_at("uid");
  for (const auto& container : replica.array_at("containers")) {
    const json::Document* code = container.find("exitCode");
    line += fmt::format(" [{} {}{}]", container.string_at("name"), container.string_at("state"),
                        code == nullptr ? "" : " " + json::serialize(*code));
  }
  return line;
}

/// Returns the status with one line per condition and replica.
json::Document in_lines(json::Document status) {
  if (json::Document* conditions = status.find("conditions")) {
    for (auto& condition : conditions->as_array()) condition = condition_line(condition);
  }
  if (json::Document* tasks = status.find("tasks")) {
    for (auto& task : tasks->as_array()) {
      for (auto& replica : task["replicas"].as_array()) replica = replica_line(replica);
    }
  }
  return status;
}

json::Document status_of(const json::Document& object, const Shown& shown) {
  const json::Document* status = object.find("status");
  if (status == nullptr) return json::Object{};
  return shown.bodies.empty() ? in_lines(*status) : *status;
}

json::Document step_document(const std::string& name, const JobPlan& plan, const Shown& shown,
                             const json::Document& before, const json::Document& after) {
  json::Document step = json::Object{{"step", name}};
  json::Array actions;
  for (const Action& action : plan.actions) actions.push_back(action_document(action, shown));
  step["actions"] = std::move(actions);
  if (plan.recheck_after) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*plan.recheck_after).count();
    step["recheckAfter"] = fmt::format("{}ms", ms);
  }
  json::Array reasons;
  for (const auto& reason : plan.reasons) reasons.emplace_back(reason);
  if (!reasons.empty()) step["reasons"] = std::move(reasons);
  if (const auto changes = json::merge_patch_between(status_of(before, shown), status_of(after, shown))) {
    step["status"] = *changes;
  }
  return step;
}

json::Document play(const json::Document& script) {
  const Shown shown{.bodies = names_in(script.find("bodies")), .launches = names_in(script.find("launches"))};
  json::Array steps;
  play_job_story(
      script, [&](const std::string& step, const JobPlan& plan, const json::Document& before, const JobWorld& world) {
        steps.push_back(step_document(step, plan, shown, before, world.object));
      });
  return steps;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, PlanIsAsWritten) {
  const std::string actual = json::to_yaml(play(read_job_story(GetParam())));
  const fs::path path = testdata() / (GetParam() + ".plan.yaml");
  if (const char* update = std::getenv("MUSTER_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path) << actual;
    return;
  }
  EXPECT_EQ(actual, read_text(path)) << "if the new plan is right: MUSTER_UPDATE_GOLDEN=1 control_test";
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(job_stories()), [](const auto& golden) {
  std::string name = golden.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(GoldenCases, AreThere) {
  EXPECT_GE(job_stories().size(), 20u);
}

}  // namespace
}  // namespace muster::control
