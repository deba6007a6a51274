#include "testing/job_story.h"

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/files.h"
#include "json/patch.h"
#include "json/yaml.h"
#include "testing/source_dir.h"

namespace muster::control {

namespace {

constexpr std::string_view kScriptEnding = ".in.yaml";

std::string stories_folder() {
  return testing::source_dir() + "/src/control/job/testdata/";
}

PodNews news_from(const json::Document& text) {
  PodNews news;
  news.phase = text.string_at("phase");
  news.reason = text.string_at("reason");
  news.message = text.string_at("message");
  news.termination = text.string_at("termination");
  news.node = text.string_at("node");
  news.unschedulable = text.string_at("unschedulable");
  if (const auto* stall = text.find("stall")) news.stall = stall->as_string();
  news.deleting = text.bool_at("deleting");
  news.gone = text.bool_at("gone");
  if (const auto* status = text.find("status")) news.status = *status;
  if (text.find("exitCode") != nullptr) news.exit_code = static_cast<int>(text.int_at("exitCode"));
  if (const auto* ago = text.find("endedAgo")) news.ended_ago = *parse_duration(ago->as_string());
  return news;
}

}  // namespace

std::vector<std::string> job_stories() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(stories_folder())) {
    const std::string file = entry.path().filename();
    if (file.ends_with(kScriptEnding)) names.push_back(file.substr(0, file.size() - kScriptEnding.size()));
  }
  std::ranges::sort(names);
  return names;
}

json::Document read_job_story(const std::string& name) {
  const auto text = read_file(stories_folder() + name + std::string(kScriptEnding));
  CHECK(text.has_value());
  const auto script = json::parse_yaml(*text);
  CHECK(script.has_value() && script->size() == 1);
  return script->front().value;
}

void play_job_story(const json::Document& script, const OnStoryStep& on_step) {
  const std::string& network = script.string_at("network");
  const Where where = network == "perPod"   ? Where::kCluster
                      : network == "perJob" ? Where::kJobNetworks
                                            : Where::kEngine;
  JobWorld world(*script.find("job"), where, *parse_rfc3339("2026-01-01T00:00:00Z"));
  world.graceful = script.bool_at("graceful");
  if (script.bool_at("noPort")) world.offered_port.reset();
  for (const auto& step : script.find("steps")->as_array()) {
    if (const auto* after = step.find("after")) world.now += *parse_duration(after->as_string());
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    world.predecessor_runs = step.bool_at("predecessorRuns");
    world.refuses_creates = step.bool_at("refusesCreates");
    world.refused = std::nullopt;
    if (const auto* refused = step.find("refused")) {
      world.refused = Refusal{refused->string_at("reason"), refused->string_at("message")};
    }
    if (const auto* happened = step.find("pods")) {
      for (const auto& [pod, news] : happened->as_object()) world.happen(pod, news_from(news));
    }
    const JobPlan plan = world.look();
    const json::Document before = world.object;
    world.apply(plan);
    on_step(step.string_at("step"), plan, before, world);
  }
}

}  // namespace muster::control
