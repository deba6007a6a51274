// Registers this machine as a Node.
#pragma once

#include <memory>

#include "agent/machine/machine.h"
#include "agent/settings/options.h"
#include "base/lifetime.h"
#include "client/api_client.h"

namespace muster::agent {

class NodeRegistration {
 public:
  NodeRegistration(Loop& loop, client::ApiClient& client, const Options& options);

  const Machine& machine() const { return machine_; }
  void start();

 private:
  Loop& loop_;
  client::ApiClient& client_;
  const Options& options_;
  Machine machine_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
