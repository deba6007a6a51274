// A real store and API server in a folder of its own on a real loop, for tests of their clients. Calls are synchronous.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/api_server.h"
#include "base/random.h"
#include "client/api_client.h"
#include "net/event_loop.h"
#include "store/store.h"

namespace muster::testing {

class Engine {
 public:
  /// `directory` must exist; the store is created inside it.
  explicit Engine(const std::string& directory);
  ~Engine();

  net::EventLoop& loop() { return loop_; }
  SystemRng& rng() { return rng_; }
  client::ApiClient& client() { return *client_; }
  apiserver::ApiServer& server() { return *server_; }

  Result<json::Document> create(const std::string& plural, const std::string& ns, const json::Document& object);
  Result<json::Document> get(const std::string& plural, const std::string& ns, const std::string& name);
  Result<json::Document> remove(const std::string& plural, const std::string& ns, const std::string& name);
  json::Array list(const std::string& plural, const std::string& ns);

  /// Runs the loop until the condition holds; returns false after a minute.
  bool run_until(const std::function<bool()>& condition);

 private:
  Result<json::Document> wait(const std::function<void(client::OnDocument)>& call);

  net::EventLoop loop_;
  SystemRng rng_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<apiserver::LocalTransport> transport_;
  std::unique_ptr<client::ApiClient> client_;
};

}  // namespace muster::testing
