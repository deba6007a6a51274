// Agent: turns pods bound to this node into processes, each under a shim that outlives the server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ports.h"
#include "base/quantity.h"
#include "client/api_client.h"
#include "client/node_api.h"

namespace muster::agent {

/// What stands in for an image; the first whose pattern matches wins.
struct Environment {
  std::string image;                       // pattern with `*`
  std::string venv;                        // a Python virtual environment: its bin first on the PATH
  std::map<std::string, std::string> env;  // set unless the container sets them itself
};

struct Options {
  std::string directory;  // DIR: DIR/pods, DIR/volumes, DIR/shim
  std::string node_name;
  std::vector<Environment> environments;
  bool refuse_unmapped = false;  // an image no pattern matches is an error, instead of the host's own environment
  std::map<std::string, Quantity> resources;                // declared extended resources
  Duration first_restart_delay = std::chrono::seconds(10);  // of a pod's containers; doubles up to 30 times that
};

class Agent final : public client::NodeApi {
 public:
  Agent(Loop& loop, Rng& rng, client::ApiClient& client, Options options);
  ~Agent() override;

  /// Registers the node, re-adopts what runs, then follows the pods bound here.
  Status start();
  Result<std::unique_ptr<client::LogStream>> read_log(const client::LogRequest& request,
                                                      UniqueFunction<void(std::string_view)> on_text,
                                                      UniqueFunction<void(Status)> on_end) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::agent
