// Random histories of one pod: the server dies between any two of its calls, shims are killed, the machine restarts.
// Whatever happens, no run begins twice, no two launches are alive at once, and in the end the pod gets there.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/document_for_tests.h"
#include "agent/pod/pod_keeper.h"
#include "agent/pod/status.h"
#include "testing/fake_os.h"
#include "testing/seeded_rng.h"

namespace muster::agent {
namespace {

using testing::FakeMachine;
using testing::FakeOs;
using testing::Mortality;
using testing::SeededRng;
using testing::ServerDied;

/// The API outlives the server too. A write is stored at once, but the server may die before it learns so.
class FakePodApi final : public PodApi {
 public:
  FakePodApi(json::Document pod, Mortality& mortality) : pod_(std::move(pod)), mortality_(mortality) {}

  bool show(const json::Document& seen, const PodView& view) override {
    json::Document status = pod_status(seen, view);
    if (status == *seen.find("status")) return true;
    mortality_.pass();
    pod_["status"] = std::move(status);
    mortality_.pass();
    return false;
  }
  void remove(const json::Document&) override {
    mortality_.pass();
    is_removed_ = true;
    mortality_.pass();
  }
  void report(const json::Document&, int, const PodEvent&) override {}

  const json::Document* object() const { return is_removed_ ? nullptr : &pod_; }
  void request_deletion() { pod_["metadata"]["deletionTimestamp"] = "2026-11-17T00:00:00Z"; }
  std::string phase() const { return pod_.string_at("status", "phase"); }

 private:
  json::Document pod_;
  Mortality& mortality_;
  bool is_removed_ = false;
};

class History {
 public:
  History(std::uint64_t seed, const char* policy)
      : rng_(seed),
        api_(doc(fmt::format(R"({{"metadata":{{"uid":"u","namespace":"d","name":"p"}},"status":{{}},
             "spec":{{"restartPolicy":"{}","containers":[{{"name":"a"}},{{"name":"b"}}]}}}})",
                             policy)),
             mortality_) {
    start_server();
  }

  void live(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += std::chrono::seconds(rng_.below(20));
      if (rng_.below(3) == 0) mortality_.die_after(static_cast<int>(1 + rng_.below(6)));
      if (rng_.below(50) == 0) {
        crash();
        machine_.reboot(rng_);
      }
      if (may_delete_ && rng_.below(60) == 0) api_.request_deletion();
      turn();
      machine_.step(rng_, now_);
    }
  }

  /// Nothing bad happens any more: the pod must get to its end.
  bool settle() {
    mortality_.die_after(0);
    api_.request_deletion();
    for (int i = 0; i < 50 && (api_.object() != nullptr || machine_.has_processes()); ++i) {
      now_ += std::chrono::seconds(400);
      turn();
    }
    return api_.object() == nullptr && !machine_.has_processes();
  }

  bool ends_without_faults() {
    mortality_.die_after(0);
    may_delete_ = false;
    for (int i = 0; i < 500; ++i) {
      now_ += std::chrono::seconds(400);
      turn();
      for (auto& [uid, pod] : machine_.pods) {
        for (auto& [number, launch] : pod.launches) {
          if (launch.shim == FakeMachine::Shim::kWaiting) launch.shim = FakeMachine::Shim::kReady;
          if (launch.shim != FakeMachine::Shim::kRunning) continue;
          for (ContainerRecord& container : launch.record.containers) {
            if (container.state == RunState::kRunning) machine_.end_run(container, 0, now_);
          }
          machine_.leave_if_complete(pod, launch);
        }
      }
      if (api_.phase() == "Succeeded" || api_.phase() == "Failed") return true;
    }
    return false;
  }

  void forbid_deletion() { may_delete_ = false; }
  const FakeMachine& machine() const { return machine_; }
  std::string phase() const { return api_.phase(); }

 private:
  void start_server() {
    os_.emplace(machine_, mortality_, [this] { return now_; });
    keeper_.emplace(
        *os_, api_,
        [](const json::Document&, const Sighting&) {
          PodContext around;
          around.address = "127.1.2.3";
          return around;
        },
        nullptr);
  }
  void crash() {
    keeper_.reset();
    os_.reset();
    machine_.server_died();
    mortality_.die_after(0);
    start_server();
  }
  void turn() {
    try {
      const std::optional<json::Document> seen =
          api_.object() == nullptr ? std::nullopt : std::optional(*api_.object());
      keeper_->sync("u", seen ? &*seen : nullptr, now_);
    } catch (const ServerDied&) {
      crash();
    }
  }

  SeededRng rng_;
  Mortality mortality_;
  Time now_ = *parse_rfc3339("2026-11-17T00:00:00Z");
  FakeMachine machine_;
  FakePodApi api_;
  std::optional<FakeOs> os_;
  std::optional<PodKeeper> keeper_;
  bool may_delete_ = true;
};

std::uint64_t histories() {
  const char* full = std::getenv("MUSTER_FULL");
  return full != nullptr && *full != '\0' ? 20'000 : 600;
}

class PodHistory : public ::testing::TestWithParam<const char*> {};

TEST_P(PodHistory, NothingIsStartedTwiceAndEverythingCanBeDeleted) {
  for (std::uint64_t seed = 0; seed < histories(); ++seed) {
    History history(seed, GetParam());
    history.live(60);
    ASSERT_TRUE(history.settle()) << "seed " << seed << ": " << history.phase();
    ASSERT_TRUE(history.machine().violations.empty()) << "seed " << seed << ": " << history.machine().violations[0];
  }
}

TEST_P(PodHistory, APodGetsThereOnceTheFaultsStop) {
  for (std::uint64_t seed = 0; seed < histories() / 3; ++seed) {
    History history(seed, GetParam());
    history.forbid_deletion();
    history.live(20);
    if (std::string_view(GetParam()) != "Always") {
      ASSERT_TRUE(history.ends_without_faults()) << "seed " << seed << ": " << history.phase();
    }
    ASSERT_TRUE(history.machine().violations.empty()) << "seed " << seed << ": " << history.machine().violations[0];
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, PodHistory, ::testing::Values("Never", "OnFailure", "Always"));

}  // namespace
}  // namespace muster::agent
