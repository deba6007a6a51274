// Agent: runs the pods bound to this node as processes, each under a shim that outlives the server.
#pragma once

#include <memory>
#include <string_view>

#include "agent/settings/options.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/metrics_api.h"
#include "client/node_api.h"

namespace muster::agent {

class Agent final : public client::NodeApi {
 public:
  Agent(Loop& loop, Rng& rng, client::ApiClient& client, Options options);
  ~Agent() override;

  /// Registers the node, re-adopts running pods, then follows the pods bound to this node.
  Status start();
  Result<std::unique_ptr<client::LogStream>> read_log(const client::LogRequest& request,
                                                      UniqueFunction<void(std::string_view)> on_text,
                                                      UniqueFunction<void(Status)> on_end) override;
  Result<std::unique_ptr<client::ExecSession>> exec(const client::ExecRequest& request, client::ExecSink sink) override;
  Result<std::unique_ptr<client::ExecSession>> attach(const client::ExecRequest& request,
                                                      client::ExecSink sink) override;
  client::ClaimFiles* claim_files() override;
  client::MetricsApi& metrics();

 private:
  class Node;
  std::unique_ptr<Node> node_;
};

}  // namespace muster::agent
