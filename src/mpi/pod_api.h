// PodApi: a connection to the API server from inside a pod, with the pod's service account.
#pragma once

#include <memory>

#include "base/random.h"
#include "base/result.h"
#include "client/api_client.h"
#include "client/kubeconfig.h"
#include "client/remote_transport.h"
#include "mpi/program.h"
#include "net/event_loop.h"

namespace muster::mpi {

class PodApi {
 public:
  /// Fails when the process is not in a pod, or when the pod has no token.
  static Result<std::unique_ptr<PodApi>> open(const Invocation& invocation);

  net::EventLoop& loop() { return loop_; }
  Rng& rng() { return rng_; }
  client::ApiClient& client() { return client_; }
  const std::string& ns() const { return target_.ns; }

 private:
  explicit PodApi(client::Target target);

  client::Target target_;
  net::EventLoop loop_;
  SystemRng rng_;
  client::RemoteTransport transport_;
  client::ApiClient client_;
};

}  // namespace muster::mpi
