// ServerWatch: whether the API server answers. It asks for the version, again and again.
#pragma once

#include <optional>
#include <string>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::client {

/// Loop thread only. Every change is logged once.
class ServerWatch {
 public:
  ServerWatch(Loop& loop, Rng& rng, net::Transport& transport) : loop_(loop), rng_(rng), transport_(transport) {}
  ~ServerWatch();
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;

  void start() { ask(); }
  /// Returns why the server did not answer the last time; "" while it answers.
  const std::string& problem() const { return problem_; }
  /// Returns what the server said about itself last; nullopt until it has answered once.
  const std::optional<json::Document>& version() const { return version_; }

 private:
  void ask();
  void answered(const Status& status);

  Loop& loop_;
  Rng& rng_;
  net::Transport& transport_;
  std::optional<ApiClient> client_;  // of the present request; a new one drops a request without an answer
  std::unique_ptr<net::Call> call_;
  std::optional<json::Document> version_;
  std::string problem_ = "it was not asked yet";
  int failures_ = 0;
  Loop::Id timer_ = 0;
  Lifetime lifetime_;
};

}  // namespace muster::client
