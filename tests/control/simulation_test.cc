// A deterministic simulation of store, API server and controllers with crashes, lost and late messages, stale caches,
// and pods that fail at random. Every history must keep the laws below, and every job must end once the faults stop.
//
// A failure prints its seed; MUSTER_SEED=N runs that one alone, MUSTER_SEEDS=N as many from 1 on.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "jobs/kind.h"
#include "sim_players.h"

namespace muster::control {
namespace {

using namespace std::chrono_literals;

constexpr int kStepsWithFaults = 60;
constexpr int kStepsToEnd = 600;

std::string phase_word(Phase phase) {
  return phase == Phase::kSucceeded ? "Succeeded" : phase == Phase::kFailed ? "Failed" : "unfinished";
}

/// One job as it is stored.
struct SeenJob {
  SimEngine::Object object;
  std::string name;
  std::string uid;
  Job job;
  JobStatus status;
};

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : engine_(seed), user_(engine_, records_), kubelet_(engine_, records_) {
    make_node();
  }

  void run() {
    for (int step = 0; step < kStepsWithFaults && !::testing::Test::HasFailure(); ++step) {
      user_.move();
      kubelet_.move();
      crash_now_and_then();
      engine_.advance(std::chrono::milliseconds(50 + engine_.rng().below(4000)));
      check_laws();
    }
    engine_.heal();
    kubelet_.is_healthy = true;
    user_.resume_all();
    go_on_until("every job to end", [this] { return std::ranges::all_of(seen_jobs(), has_ended); });
    go_on_until("the pods of ended jobs to end", [this] { return count_unfinished_pods() == 0; });
    go_on_until("the statuses of ended jobs to account for every replica", [this] { return has_right_counts(); });
    user_.delete_all();
    go_on_until("what belonged to jobs to go", [this] { return leftovers().empty(); });
  }

  std::string digest() { return engine_.digest(); }

 private:
  static bool has_ended(const SeenJob* seen) { return is_finished(seen->status.phase); }

  void make_node() {
    const client::ResourceName nodes("", "v1", "nodes");
    const json::Document node =
        json::Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", json::Object{{"name", "machine"}}}};
    const json::Document status = json::Object{
        {"status", json::Object{{"allocatable", json::Object{{"cpu", "64"}, {"memory", "64Gi"}, {"pods", "300"}}},
                                {"conditions", json::Array{json::Object{{"type", "Ready"}, {"status", "True"}}}}}}};
    engine_.client().create(nodes, "", node, {}, [this, nodes, status](const Result<json::Document>& made) {
      ASSERT_TRUE(made.has_value()) << made.error().message;
      engine_.client().patch({nodes, "", "machine", "status"}, client::PatchType::kMerge, status, {},
                             [](const Result<json::Document>&) {});
    });
    engine_.advance(1s);
  }

  void crash_now_and_then() {
    const std::uint64_t dice = engine_.rng().below(100);
    if (dice < 2) return engine_.crash();
    if (dice < 8) engine_.crash_controllers();
  }

  template <typename Done>
  void go_on_until(const char* what, Done done) {
    for (int step = 0; step < kStepsToEnd && !::testing::Test::HasFailure(); ++step) {
      if (done()) return;
      kubelet_.move();
      engine_.advance(2s);
      check_laws();
    }
    EXPECT_TRUE(done()) << "waited for " << what << ":\n" << story();
  }

  /// They stay valid until the next call.
  std::vector<const SeenJob*> seen_jobs() {
    std::vector<const SeenJob*> seen;
    for (const SimEngine::Object& object : jobs_of(engine_)) {
      SeenJob& job = seen_[object->string_at("metadata", "uid")];
      if (job.object != object) job = look_at(object);
      seen.push_back(&job);
    }
    return seen;
  }

  static SeenJob look_at(const SimEngine::Object& object) {
    const JobKind& kind = *find_job_kind(object->string_at("apiVersion"), object->string_at("kind"));
    auto job = kind.normalise(*object, Where::kEngine);
    EXPECT_TRUE(job.has_value()) << job.error().message;
    return {.object = object,
            .name = object->string_at("metadata", "name"),
            .uid = object->string_at("metadata", "uid"),
            .job = std::move(job).value_or(Job{}),
            .status = kind.read_status(*object)};
  }

  // ---- what must hold at any moment ----

  void check_laws() {
    const std::vector<const SeenJob*> jobs = seen_jobs();
    for (const SeenJob* seen : jobs) {
      check_end_is_final(*seen);
      check_budget(*seen);
      check_one_attempt_at_a_time(*seen);
    }
    check_ports(jobs);
    if (::testing::Test::HasFailure()) fmt::print(stderr, "{}", story());
  }

  /// A job ends once, and stays as it ended.
  void check_end_is_final(const SeenJob& seen) {
    const auto before = ends_.find(seen.uid);
    if (before == ends_.end()) {
      if (is_finished(seen.status.phase)) ends_[seen.uid] = {seen.status.phase, seen.status.completed};
      return;
    }
    EXPECT_EQ(phase_word(seen.status.phase), phase_word(before->second.first)) << seen.name << " ended twice";
    EXPECT_EQ(seen.status.completed, before->second.second) << seen.name << " ended twice";
  }

  void check_budget(const SeenJob& seen) {
    const auto& limit = seen.job.run_policy.backoff_limit;
    if (!limit) return;
    EXPECT_LE(seen.status.restarts, *limit) << seen.name;
    const JobRecord& record = records_[seen.uid];
    if (seen.job.restart_unit != RestartUnit::kGang || record.was_disturbed) return;
    EXPECT_LE(record.failed_attempts.size(), static_cast<std::size_t>(*limit) + 1) << seen.name;
  }

  /// No rank of a process group meets one of an earlier attempt.
  void check_one_attempt_at_a_time(const SeenJob& seen) {
    if (seen.job.restart_unit != RestartUnit::kGang) return;
    std::set<std::string> running;
    for (const auto& [key, pod] : engine_.all("pods")) {
      if (!api::is_controlled_by(*pod, seen.uid) || pod->string_at("status", "phase") != "Running") continue;
      running.insert(pod->string_at("metadata", "labels", api::kAttemptLabel));
    }
    EXPECT_LE(running.size(), 1u) << seen.name << " runs attempts " << join({running.begin(), running.end()}, ", ");
  }

  static void check_ports(const std::vector<const SeenJob*>& jobs) {
    std::map<int, std::string> holders;
    for (const SeenJob* seen : jobs) {
      if (!seen->status.port || seen->job.fixed_port || has_ended(seen)) continue;
      for (int i = 0; i < seen->status.port_count; ++i) {
        const auto [holder, is_new] = holders.try_emplace(*seen->status.port + i, seen->name);
        EXPECT_TRUE(is_new) << "port " << holder->first << " of both " << holder->second << " and " << seen->name;
      }
    }
  }

  // ---- what must hold at rest ----

  int count_unfinished_pods() {
    int count = 0;
    for (const auto& [key, pod] : engine_.all("pods")) {
      const std::string& phase = pod->string_at("status", "phase");
      if (phase != "Succeeded" && phase != "Failed") ++count;
    }
    return count;
  }

  /// Whether the status of every ended job accounts for each of its replicas.
  bool has_right_counts() {
    return std::ranges::all_of(seen_jobs(), [](const SeenJob* seen) {
      // Kubeflow's kinds count pods, and do not tell which replicas are gone.
      if (seen->job.api_version.starts_with("kubeflow.org/")) return true;
      int ended = 0;
      for (const RoleStatus& role : seen->status.roles) {
        for (const auto& [phase, count] : role.counts) {
          if (phase == "Succeeded" || phase == "Failed" || phase == "Deleted") ended += count;
        }
      }
      return ended == total_replicas(seen->job);
    });
  }

  std::vector<std::string> leftovers() {
    std::vector<std::string> left;
    for (const SimEngine::Object& job : jobs_of(engine_)) left.push_back("job " + job->string_at("metadata", "name"));
    for (const char* resource : {"pods", "services", "podgroups.scheduler.tensorstack.dev"}) {
      for (const auto& [key, object] : engine_.all(resource)) left.push_back(fmt::format("{} {}", resource, key.name));
    }
    for (const auto& [key, object] : engine_.all("configmaps")) {
      if (!object->array_at("metadata", "ownerReferences").empty()) left.push_back("configmap " + key.name);
    }
    return left;
  }

  /// What there is, for the message of a failure.
  std::string story() {
    std::string text;
    for (const SimEngine::Object& job : jobs_of(engine_)) {
      text += fmt::format("{} {}\n  {}\n", job->string_at("kind"), job->string_at("metadata", "name"),
                          json::serialize(job->find("status") != nullptr ? *job->find("status") : json::Document()));
    }
    for (const auto& [key, pod] : engine_.all("pods")) {
      text +=
          fmt::format("pod {} attempt {} {} {}{}\n", key.name, pod->string_at("metadata", "labels", api::kAttemptLabel),
                      pod->string_at("status", "phase"), pod->string_at("spec", "nodeName"),
                      pod->at("metadata", "deletionTimestamp") != nullptr ? " terminating" : "");
    }
    return text + join(leftovers(), ", ") + "\n";
  }

  JobRecords records_;
  SimEngine engine_;
  SimUser user_;
  SimKubelet kubelet_;
  std::map<std::string, SeenJob> seen_;                                // by uid
  std::map<std::string, std::pair<Phase, std::optional<Time>>> ends_;  // by uid
};

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<std::uint64_t>(parse_int(text).value_or(1));
}

// One history takes about a second without optimisation, and several with sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kUsualSeeds = 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kUsualSeeds = 10;
#else
constexpr std::uint64_t kUsualSeeds = 200;
#endif
#else
constexpr std::uint64_t kUsualSeeds = 200;
#endif

std::uint64_t seeds_to_run() {
  const char* full = std::getenv("MUSTER_FULL");
  return number_in("MUSTER_SEEDS", full != nullptr && *full != '\0' ? 10'000 : kUsualSeeds);
}

TEST(Simulation, EveryHistoryKeepsTheLawsAndEveryJobEnds) {
  const std::uint64_t only = number_in("MUSTER_SEED", 0);
  const std::uint64_t last = only != 0 ? only : seeds_to_run();
  for (std::uint64_t seed = only != 0 ? only : 1; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("MUSTER_SEED={}", seed));
    Simulation(seed).run();
  }
}

TEST(Simulation, TheSameSeedGivesTheSameHistory) {
  const auto history_of = [](std::uint64_t seed) {
    Simulation simulation(seed);
    simulation.run();
    return simulation.digest();
  };
  EXPECT_EQ(history_of(7), history_of(7));
  EXPECT_NE(history_of(7), history_of(8));
}

}  // namespace
}  // namespace muster::control
