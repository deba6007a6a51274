// Laws of plan_cron over random schedules, time zones, clocks, crashes and ends of jobs: no time is started twice, none
// is started early or late beyond what the policy allows, and at most one of many missed times is made up for.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>

#include "api/kubedl/cron_schedule.h"
#include "control/cron/cron_world.h"

namespace muster::control {
namespace {

struct CronSetup {
  std::string schedule;
  std::string policy;
  int history_limit = 1;
  std::int64_t begin = 0;  // seconds
};

struct CronMove {
  int wait = 0;         // seconds; below 0 the clock goes back
  bool ends = false;    // the oldest job that runs ends
  int crash_after = 0;  // number of actions that are applied of the plan that follows
};

std::ostream& operator<<(std::ostream& out, const CronSetup& setup) {
  return out << fmt::format("\"{}\" {} limit={} from {}", setup.schedule, setup.policy, setup.history_limit,
                            setup.begin);
}

std::ostream& operator<<(std::ostream& out, const CronMove& move) {
  return out << fmt::format("wait {}s{}, crash after {}", move.wait, move.ends ? ", a job ends" : "", move.crash_after);
}

rc::Gen<CronSetup> any_cron() {
  // Hours around the changes of March and November 2026, and any time of the decade.
  const auto begin = rc::gen::oneOf(rc::gen::map(rc::gen::inRange(0, 7200), [](int s) { return 1772949600LL + s; }),
                                    rc::gen::map(rc::gen::inRange(0, 7200), [](int s) { return 1793505600LL + s; }),
                                    rc::gen::inRange(1'700'000'000LL, 2'000'000'000LL));
  return rc::gen::build<CronSetup>(
      rc::gen::set(&CronSetup::schedule, rc::gen::element<std::string>(
                                             "* * * * *", "*/7 * * * *", "30 1 * * *", "30 2 * * *", "0 */3 1-10 * 1",
                                             "TZ=America/New_York 30 1 * * *", "TZ=America/New_York 30 2 * * *",
                                             "CRON_TZ=America/New_York */15 * * * *", "@every 90s", "@daily")),
      rc::gen::set(&CronSetup::policy, rc::gen::element<std::string>("Allow", "Forbid", "Replace")),
      rc::gen::set(&CronSetup::history_limit, rc::gen::inRange(0, 4)),
      rc::gen::set(&CronSetup::begin, rc::gen::map(begin, [](long long s) { return static_cast<std::int64_t>(s); })));
}

rc::Gen<CronMove> any_move() {
  return rc::gen::build<CronMove>(
      rc::gen::set(&CronMove::wait, rc::gen::oneOf(rc::gen::inRange(0, 120), rc::gen::inRange(0, 7200),
                                                   rc::gen::inRange(-3600, 0), rc::gen::inRange(0, 400'000))),
      rc::gen::set(&CronMove::ends), rc::gen::set(&CronMove::crash_after, rc::gen::inRange(0, 6)));
}

json::Document cron_of(const CronSetup& setup) {
  return json::Object{
      {"apiVersion", "apps.kubedl.io/v1alpha1"},
      {"kind", "Cron"},
      {"metadata", json::Object{{"name", "c"},
                                {"namespace", "default"},
                                {"uid", "u-1"},
                                {"creationTimestamp", format_rfc3339(Time(std::chrono::seconds(setup.begin)))}}},
      {"spec", json::Object{{"schedule", setup.schedule},
                            {"concurrencyPolicy", setup.policy},
                            {"historyLimit", setup.history_limit},
                            {"template", json::Object{{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}}}}}};
}

/// Looks again until nothing changes, each time after `crash_after` actions at first and after all of them later.
void settle(CronWorld& world, int crash_after) {
  for (int turn = 0; turn < 10; ++turn) {
    const Plan plan = world.look();
    const json::Document* before = world.object.find("status");
    const bool acts = std::ranges::any_of(plan.actions, [](const Action& action) {
      return std::holds_alternative<Create>(action) || std::holds_alternative<Delete>(action);
    });
    if (!acts && before != nullptr && plan.status == *before) return;
    world.apply(plan, turn == 0 ? std::min<std::size_t>(crash_after, plan.actions.size()) : plan.actions.size());
  }
  RC_FAIL("the plan does not settle");
}

void end_oldest(CronWorld& world) {
  for (const auto& [name, job] : world.jobs) {
    if (is_finished(find_job_kind("kubeflow.org/v1", "PyTorchJob")->read_status(job).phase)) continue;
    world.set_phase(name, "Succeeded");
    return;
  }
}

std::vector<std::string> unfinished(const CronWorld& world) {
  std::vector<std::string> names;
  for (const auto& [name, job] : world.jobs) {
    if (!is_finished(find_job_kind("kubeflow.org/v1", "PyTorchJob")->read_status(job).phase)) names.push_back(name);
  }
  return names;
}

/// The seconds at the end of a job's name.
std::int64_t time_in(const std::string& name) {
  return std::stoll(name.substr(name.rfind('-') + 1));
}

RC_GTEST_PROP(Cron, StartsEachTimeOnceAndLosesNone, ()) {
  const CronSetup setup = *any_cron();
  const auto moves = *rc::gen::container<std::vector<CronMove>>(any_move());
  CronWorld world(cron_of(setup));
  const auto schedule = *api::parse_cron_schedule(setup.schedule);
  const TimeZone zone = schedule.time_zone.empty() ? TimeZone() : TimeZone(*parse_zone_rule("EST5EDT,M3.2.0,M11.1.0"));
  const auto begin = TimeZone::Instant(std::chrono::seconds(setup.begin));
  auto latest = begin;  // how far the clock has ever been
  for (const CronMove& move : moves) {
    world.now += std::chrono::seconds(move.wait);
    const auto now = std::chrono::floor<std::chrono::seconds>(world.now);
    if (move.ends) end_oldest(world);
    const std::size_t before = world.starts.size();
    settle(world, move.crash_after);
    const auto previous = std::exchange(latest, std::max(latest, now));

    RC_ASSERT(world.starts.size() <= before + 1);  // whatever was missed
    for (const auto& [name, count] : world.starts) {
      RC_ASSERT(count == 1);
      const TimeZone::Instant at{std::chrono::seconds(time_in(name))};
      RC_ASSERT(at > begin);
      RC_ASSERT(at <= latest);
      RC_ASSERT(api::last_cron_time(schedule, zone, begin, at) == at);  // a time of the schedule
    }
    const auto due = api::last_cron_time(schedule, zone, begin, latest);
    const bool is_started = due && world.starts.contains(api::cron_job_name("c", *due));
    const std::vector<std::string> running = unfinished(world);
    if (due && *due > previous && now == latest && setup.policy != "Forbid") RC_ASSERT(is_started);
    if (setup.policy == "Forbid" && due && now == latest && running.empty()) RC_ASSERT(is_started);
    if (setup.policy != "Allow") RC_ASSERT(running.size() <= 1);
    RC_ASSERT(world.jobs.size() - running.size() <= static_cast<std::size_t>(setup.history_limit));
  }
}

}  // namespace
}  // namespace muster::control
