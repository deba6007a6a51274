// Every golden job, at every step of its story, is shown by `kubectl get`, `muster get jobs`, `muster describe`,
// `arena` and the console (which renders the encoded summary). They must tell one state in the words of docs/states.md,
// the same replicas and restarts, and the same cause. said.yaml records what is told, to be read like code;
// MUSTER_UPDATE_GOLDEN=1 rewrites it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/print/table.h"
#include "arena/jobs/jobs.h"
#include "base/files.h"
#include "base/strings.h"
#include "cli/jobs/job_table.h"
#include "cli/objects/describe_text.h"
#include "cli/objects/object_state.h"
#include "jobs/kind.h"
#include "jobs/summary.h"
#include "json/yaml.h"
#include "reflect/reflect.h"
#include "testing/job_story.h"
#include "testing/source_dir.h"

namespace muster {
namespace {

using jobs::State;
using json::Document;

struct Words {
  std::set<std::string> kubectl;  // the kind's own vocabulary
  std::string arena;
};

/// The table of docs/states.md. A job that no controller has seen yet has no state in kubectl.
const std::map<State, Words>& words_of(jobs::JobFamily family) {
  static const std::map<State, Words> kTensorStack = {
      {State::kPending, {{"", "Pending"}, ""}}, {State::kRunning, {{"Running"}, ""}},
      {State::kRestarting, {{"Running"}, ""}},  {State::kPaused, {{"Paused"}, ""}},
      {State::kResuming, {{"Resuming"}, ""}},   {State::kSucceeded, {{"Succeeded"}, ""}},
      {State::kFailed, {{"Failed"}, ""}},       {State::kStopped, {{"Failed"}, ""}}};
  static const std::map<State, Words> kKubeflow = {
      {State::kPending, {{"", "Created"}, "PENDING"}},   {State::kRunning, {{"Running"}, "RUNNING"}},
      {State::kRestarting, {{"Restarting"}, "PENDING"}}, {State::kPaused, {{"Suspended"}, "QUEUING"}},
      {State::kResuming, {{"Suspended"}, "PENDING"}},    {State::kSucceeded, {{"Succeeded"}, "SUCCEEDED"}},
      {State::kFailed, {{"Failed"}, "FAILED"}},          {State::kStopped, {{"Failed"}, "FAILED"}}};
  return family == jobs::JobFamily::kKubeflow ? kKubeflow : kTensorStack;
}

/// The cell in the first of these columns that the kind has.
std::string kubectl_cell(const Document& object, Time now, const std::set<std::string>& names) {
  const api::Resource& resource = *api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  const auto columns = apiserver::columns_of(resource);
  const json::Array cells = apiserver::cells_of(resource, object, now);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (names.contains(columns[i].name)) return cells[i].is_string() ? cells[i].as_string() : "";
  }
  ADD_FAILURE() << "no such column of " << resource.kind;
  return "";
}

std::string kubectl_word(const Document& object, Time now) {
  return kubectl_cell(object, now, {"Phase", "State"});
}

/// NAME KIND PHASE REPLICAS RESTARTS AGE …, as with -o wide
std::vector<std::string> row_of_get_jobs(const Document& object, const std::string& reason, Time now) {
  cli::JobTable table({.headers = false, .wide = true});
  const api::Resource& resource = *api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  const cli::FoundJob found{{cli::kind_of(resource), "default", object.string_at("metadata", "name")}, object};
  const std::string line = table.print(std::vector<cli::JobRow>{{.found = found, .reason = reason}}, now);
  std::vector<std::string> cells;
  for (const std::string& cell : split(line, ' ')) {
    if (!trim(cell).empty()) cells.emplace_back(trim(cell));
  }
  return cells;
}

std::string field_of_describe(const std::string& text, const std::string& field) {
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with(field + ":")) return std::string(trim(line.substr(field.size() + 1)));
  }
  return "";
}

arena::Job job_of_arena(const Document& object) {
  return arena::job_of(arena::type_of_job(object, object.string_at("kind")), object, {});
}

std::vector<Document> pods_in(const control::JobWorld& world) {
  std::vector<Document> pods;
  for (const auto& [name, pod] : world.pods) pods.push_back(reflect::encode(pod));
  return pods;
}

/// Checks one job at one moment; returns what was said about it.
Document check_moment(const control::JobWorld& world) {
  const Document& object = world.object;
  const jobs::Summary summary = jobs::summarise(object);
  const std::string word(jobs::state_word(summary.state));
  const jobs::JobFamily family = jobs::kind_of_job(object)->family;
  const Words& words = words_of(family).at(summary.phase);

  const std::string in_kubectl = kubectl_word(object, world.now);
  EXPECT_TRUE(words.kubectl.contains(in_kubectl)) << in_kubectl << " for " << word;

  const std::string cause = summary.cause;
  const std::vector<std::string> row = row_of_get_jobs(object, cause, world.now);
  if (row.size() < 6) {
    ADD_FAILURE() << "a row without cells";
    return {};
  }
  EXPECT_EQ(row[2], word);
  EXPECT_EQ(row[3], std::to_string(summary.wanted()));
  EXPECT_EQ(row[4], std::to_string(summary.restarts));
  EXPECT_EQ(cli::phase_cell(summary), summary.stalled && word == "Running" ? "Stalled" : word);

  const std::string head = cli::describe_head(object, {.now = world.now, .told = cause});
  EXPECT_EQ(field_of_describe(head, "Phase"), object.find("status") == nullptr ? "" : word);
  EXPECT_EQ(cli::waiting_cause(object), jobs::has_ended(summary.phase) ? "" : cause);

  const Document in_console = jobs::encode(summary);
  EXPECT_EQ(in_console.string_at("state"), word);
  EXPECT_EQ(in_console.int_at("replicas", "wanted"), summary.wanted());
  EXPECT_EQ(in_console.string_at("cause"), cause);
  if ((summary.phase == State::kPending || summary.phase == State::kResuming) && !cause.empty()) {
    EXPECT_EQ(kubectl_cell(object, world.now, {"Message"}), cause);
  }

  Document said = json::Object{{"kubectl", in_kubectl}, {"muster", word}};
  if (family == jobs::JobFamily::kKubeflow) {
    const arena::Job in_arena = job_of_arena(object);
    EXPECT_EQ(in_arena.status, words.arena);
    EXPECT_EQ(in_arena.message, cause);
    said["arena"] = in_arena.status;
  }
  said["replicas"] = fmt::format("{}/{}", summary.running() + summary.succeeded(), summary.wanted());
  if (summary.restarts > 0) said["restarts"] = summary.restarts;
  said["decider"] = summary.decider;
  if (!cause.empty()) said["cause"] = cause;
  if (summary.stalled) said["stalled"] = true;

  // The pods are the truth about what runs.
  const auto runs = std::ranges::count_if(world.pods, [](const auto& pod) {
    return pod.second.status.phase == "Running" && !pod.second.metadata.deletion_timestamp;
  });
  if (summary.phase == State::kRunning) {
    EXPECT_EQ(summary.running(), runs);
  }
  const bool is_decider_there = std::ranges::any_of(
      pods_in(world), [&](const Document& pod) { return pod.string_at("metadata", "name") == summary.deciding_pod; });
  if (summary.phase == State::kRunning && runs == summary.wanted()) {
    EXPECT_TRUE(is_decider_there) << summary.deciding_pod;
  }
  return said;
}

TEST(Consistency, EveryPlaceSaysTheSameOfEveryGoldenJob) {
  Document said = json::Object{};
  std::set<State> states;
  for (const std::string& story : control::job_stories()) {
    if (story.starts_with("model-")) continue;  // a kind of the tests alone
    Document steps = json::Object{};
    control::play_job_story(control::read_job_story(story), [&](const std::string& step, const control::JobPlan&,
                                                                const Document&, const control::JobWorld& world) {
      SCOPED_TRACE(story + ": " + step);
      steps[step] = check_moment(world);
      states.insert(jobs::state_of(world.object));
    });
    said[story] = std::move(steps);
  }
  for (const State state : {State::kPending, State::kRunning, State::kRestarting, State::kPaused, State::kResuming,
                            State::kSucceeded, State::kFailed, State::kStopped}) {
    EXPECT_TRUE(states.contains(state)) << "no golden job is ever " << jobs::state_word(state);
  }
  const std::string path = testing::source_dir() + "/tests/consistency/said.yaml";
  const std::string text = json::to_yaml(said);
  if (const char* update = std::getenv("MUSTER_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    ASSERT_TRUE(write_file_atomically(path, text, 0644));
    return;
  }
  EXPECT_EQ(text, read_file(path).value_or("")) << "if the new texts are right: MUSTER_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace muster
