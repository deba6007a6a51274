// Registers this machine as a Node.
#pragma once

#include <memory>

#include "agent/machine/machine.h"
#include "agent/registration/node_object.h"
#include "agent/settings/options.h"
#include "base/lifetime.h"
#include "client/api_client.h"

namespace muster::agent {

class NodeRegistration {
 public:
  NodeRegistration(Loop& loop, client::ApiClient& client, const Options& options);
  ~NodeRegistration();
  NodeRegistration(const NodeRegistration&) = delete;
  NodeRegistration& operator=(const NodeRegistration&) = delete;

  const Machine& machine() const { return machine_; }
  void start();
  /// Shows the condition DiskPressure; "": there is none. It is tried until it is written.
  void show_disk_problem(const std::string& problem);

 private:
  void write_metadata();
  void write_status();

  Loop& loop_;
  client::ApiClient& client_;
  const Options& options_;
  Machine machine_;
  NodeTimes times_;
  bool is_registered_ = false;
  std::string disk_problem_;
  Loop::Id retry_ = 0;
  Lifetime lifetime_;
};

}  // namespace muster::agent
