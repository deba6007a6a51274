// RequestMeter: counts the requests that pass to a server, by what they ask for and how they ended.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "net/http.h"

namespace muster::client {

/// What a request asks for, in the words of Kubernetes' permissions.
struct RequestKind {
  std::string verb;              // get, list, watch, create, update, patch, delete; the method for other paths
  std::string resource = {};     // "pods", "pytorchjobs.kubeflow.org"; "" for other paths
  std::string subresource = {};  // "status"
  auto operator<=>(const RequestKind&) const = default;

  bool is_write() const { return verb != "get" && verb != "list" && verb != "watch" && verb != "GET"; }
};
RequestKind request_kind(const std::string& method, const std::string& target);

/// Loop thread only. A request that was dropped is not counted.
class RequestMeter final : public net::Transport {
 public:
  /// By kind and code: "200", or "error" if there was no answer.
  using Counts = std::map<std::pair<RequestKind, std::string>, std::uint64_t>;

  explicit RequestMeter(net::Transport& inner) : inner_(inner), counts_(std::make_shared<Counts>()) {}
  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;
  const Counts& counts() const { return *counts_; }

 private:
  net::Transport& inner_;
  std::shared_ptr<Counts> counts_;  // the callbacks of a request may outlive this
};

}  // namespace muster::client
