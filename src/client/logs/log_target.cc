#include "client/logs/log_target.h"

#include <fmt/core.h>

#include "client/api_client.h"

namespace muster::client {

std::string default_container(const json::Document& pod) {
  const std::string& named = pod.string_at("metadata", "annotations", "kubectl.kubernetes.io/default-container");
  if (!named.empty()) return named;
  const json::Array& containers = pod.array_at("spec", "containers");
  return containers.empty() ? "" : containers.front().string_at("name");
}

std::string log_target(const std::string& ns, const std::string& pod, const std::string& container) {
  std::string out = path_of({{"", "v1", "pods"}, ns, pod, "log"});
  if (!container.empty()) out += "?container=" + net::percent_encode(container);
  return out;
}

std::string attempt_log_target(const std::string& ns, const std::string& pod, std::int64_t attempt,
                               const std::string& container) {
  return path_of({{"muster.dev", "v1", "pods"}, ns, pod, "attempts"}) +
         fmt::format("/{}/log?container={}", attempt, net::percent_encode(container));
}

}  // namespace muster::client
