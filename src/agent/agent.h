// Agent: runs the pods bound to this node as processes, each under a shim that outlives the server.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agent/settings/options.h"
#include "base/fd.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "net/event_loop.h"
#include "node/metrics_api.h"
#include "node/node_api.h"
#include "node/progress_source.h"

namespace muster::agent {

class Agent final : public node::NodeApi, public node::ProgressSource {
 public:
  Agent(net::EventLoop& loop, Rng& rng, client::ApiClient& client, Options options);
  ~Agent() override;

  /// Registers the node, re-adopts running pods, then follows the pods bound to this node.
  Status start();
  Result<std::unique_ptr<node::LogStream>> read_log(const node::LogRequest& request,
                                                    UniqueFunction<void(std::string_view)> on_text,
                                                    UniqueFunction<void(Status)> on_end) override;
  void log_end(std::string pod_uid, std::string container, UniqueFunction<void(std::string)> done) override;
  void recent_events(node::FilePlace folder, node::EventSearch search,
                     UniqueFunction<void(Result<node::EventFolders>)> done) override;
  Result<std::unique_ptr<node::ExecSession>> exec(const node::ExecRequest& request, node::ExecSink sink) override;
  Result<std::unique_ptr<node::ExecSession>> attach(const node::ExecRequest& request, node::ExecSink sink) override;
  Result<std::unique_ptr<node::PortSession>> connect(const node::PortRequest& request, node::PortSink sink) override;
  node::PodSockets sockets_of(const std::string& pod_uid);
  /// The engine answers requests to the API that pods send to that port on the loopback of their networks.
  void open_doors(int port, NetworkDoors doors);
  node::ClaimFiles* claim_files() override;
  node::PodHistory* pod_history() override;
  node::MetricsApi& metrics();

 private:
  class Node;
  std::unique_ptr<Node> node_;
};

}  // namespace muster::agent
