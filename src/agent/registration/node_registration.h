// Registers this machine as a Node.
#pragma once

#include <memory>

#include "agent/machine/machine.h"
#include "agent/settings/options.h"
#include "client/api_client.h"

namespace muster::agent {

class NodeRegistration {
 public:
  NodeRegistration(Loop& loop, client::ApiClient& client, const Options& options);
  ~NodeRegistration();

  const Machine& machine() const { return machine_; }
  void start();

 private:
  Loop& loop_;
  client::ApiClient& client_;
  const Options& options_;
  Machine machine_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once destroyed; checked by client callbacks
};

}  // namespace muster::agent
