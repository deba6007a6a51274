// Shared by the controllers' tests: one API server for the program, a namespace and a set of controllers per test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/api_client.h"
#include "control/runtime/controllers.h"
#include "fake_kubelet.h"
#include "world.h"

namespace muster::control {

class ControllersTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Discards everything that the controllers have in memory, like a crash of the server.
  void restart_controllers();
  void wait_for(const std::string& what, const std::function<bool()>& done);

  void create(const std::string& yaml);
  void patch(const std::string& path_of_kind, const std::string& name, const std::string& merge);
  void remove(const std::string& plural, const std::string& name);
  /// Returns nullopt when the object does not exist. `resource` is "pods", "pytorchjobs", …
  std::optional<json::Document> get(const std::string& resource, const std::string& name);
  std::vector<std::string> pod_names();
  std::string job_phase(const std::string& name);
  /// "reason xCOUNT" of the Events about the object, sorted.
  std::vector<std::string> events_about(const std::string& name);
  /// Waits for an event, because events follow the status that they report.
  void wait_for_event(const std::string& about, const std::string& event);
  std::string training_job(const std::string& name, int replicas, const std::string& policy_and_more = "",
                           const std::string& container_extra = "") const;
  /// The name of a PyTorchTrainingJob's pod, whose infix depends on the uid.
  std::string pod_of(const std::string& job, const std::string& replica);

  contract::World* world_ = nullptr;
  SystemRng rng_;
  std::unique_ptr<client::ApiClient> client_;
  std::unique_ptr<Controllers> controllers_;
  std::unique_ptr<FakeKubelet> kubelet_;
  std::string ns_;
};

}  // namespace muster::control
