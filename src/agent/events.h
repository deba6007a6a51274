// Events about pods: what was done for them and why they wait. Written and forgotten; a failed write is logged.
#pragma once

#include <string>

#include "agent/launch.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "json/document.h"

namespace muster::agent {

class EventWriter {
 public:
  EventWriter(Loop& loop, Rng& rng, client::ApiClient& client, std::string node)
      : loop_(loop), rng_(rng), client_(client), node_(std::move(node)) {}

  void tell(const json::Document& pod, const Remark& remark);

 private:
  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  std::string node_;
};

}  // namespace muster::agent
