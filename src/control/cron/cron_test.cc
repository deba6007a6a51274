// Golden cases: testdata/CASE.in.yaml contains a Cron and the steps that happen to it, testdata/CASE.plan.yaml the plan
// at each step. MUSTER_UPDATE_GOLDEN=1 rewrites the plan; read the difference before committing it.
#include "control/cron/cron.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/overloaded.h"
#include "control/cron/cron_world.h"
#include "json/patch.h"
#include "testing/golden_for_tests.h"

namespace muster::control {
namespace {

json::Document cron_action(const Action& action, bool with_bodies) {
  return std::visit(Overloaded{
                        [&](const Create& create) -> json::Document {
                          const std::string line = fmt::format("create {} {}", create.object.string_at("kind"),
                                                               create.object.string_at("metadata", "name"));
                          if (!with_bodies) return line;
                          return json::Object{{line, create.object}};
                        },
                        [](const Update& update) -> json::Document { return "update " + update.child.name; },
                        [](const Delete& gone) -> json::Document { return "delete " + gone.child.name; },
                        [](const EmitEvent& event) -> json::Document {
                          return fmt::format("event {} {}: {}", event.type, event.reason, event.message);
                        },
                        [](const DeletePrimary&) -> json::Document { return "delete the Cron"; },
                    },
                    action);
}

/// Returns the status with one line per job, unless the case prints whole bodies.
json::Document cron_status(json::Document status, bool with_bodies) {
  if (with_bodies) return status;
  if (status.find("active") != nullptr) {
    for (json::Document& job : status["active"].as_array()) {
      job = job.string_at("name") + (job.string_at("uid").empty() ? " (decided)" : "");
    }
  }
  if (status.find("history") != nullptr) {
    for (json::Document& job : status["history"].as_array()) {
      job = job.string_at("object", "name") + " " + job.string_at("status");
    }
  }
  return status;
}

json::Document play_cron(const json::Document& script) {
  CronWorld world(*script.find("cron"));
  const bool bodies = script.bool_at("bodies");
  json::Array steps;
  for (const json::Document& step : script.array_at("steps")) {
    if (const auto* at = step.find("at")) world.now = *parse_rfc3339(at->as_string());
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    if (const auto* jobs = step.find("jobs")) {
      for (const auto& [name, phase] : jobs->as_object()) world.set_phase(name, phase.as_string());
    }
    const Plan plan = world.look();
    json::Document shown = json::Object{{"step", step.string_at("step")}};
    json::Array actions;
    for (const Action& action : plan.actions) actions.push_back(cron_action(action, bodies));
    shown["actions"] = std::move(actions);
    if (plan.recheck_after) {
      shown["recheckAfter"] =
          fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(*plan.recheck_after).count());
    }
    const json::Document* before = world.object.find("status");
    const bool same = plan.status && before != nullptr && *plan.status == *before;
    if (plan.status && !same) shown["status"] = cron_status(*plan.status, bodies);
    world.apply(plan, step.bool_at("crash") ? 0 : plan.actions.size());
    steps.push_back(std::move(shown));
  }
  return steps;
}

class CronGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(CronGolden, PlanIsAsWritten) {
  testing::expect_golden("src/control/cron/testdata", GetParam(), play_cron);
}

INSTANTIATE_TEST_SUITE_P(Cases, CronGolden,
                         ::testing::Values("fresh", "due", "allow", "forbid", "replace", "suspended", "deadline",
                                           "history", "missed", "crash", "clock-back", "time-zone", "invalid",
                                           "deleted"),
                         [](const auto& golden) {
                           std::string name = golden.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace muster::control
