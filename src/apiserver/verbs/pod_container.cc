#include "apiserver/verbs/pod_container.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::vector<std::string> names_in(const json::Document& pod, std::string_view list) {
  std::vector<std::string> names;
  for (const json::Document& container : pod.array_at("spec", list)) names.push_back(container.string_at("name"));
  return names;
}

}  // namespace

Result<std::string> choose_container(const json::Document& pod, std::string_view asked) {
  const std::string& name = pod.string_at("metadata", "name");
  const std::vector<std::string> containers = names_in(pod, "containers");
  const std::vector<std::string> init = names_in(pod, "initContainers");
  if (asked.empty()) {
    if (containers.size() == 1) return containers[0];
    std::string message =
        fmt::format("a container name must be specified for pod {}, choose one of: [{}]", name, join(containers, " "));
    if (!init.empty()) message += fmt::format(" or one of the init containers: [{}]", join(init, " "));
    return bad_request(message);
  }
  const bool known =
      std::ranges::find(containers, asked) != containers.end() || std::ranges::find(init, asked) != init.end();
  if (!known) return bad_request(fmt::format("container {} is not valid for pod {}", asked, name));
  return std::string(asked);
}

const json::Document* container_status(const json::Document& pod, const std::string& container) {
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const json::Document& status : pod.array_at("status", list)) {
      if (status.string_at("name") == container) return &status;
    }
  }
  return nullptr;
}

Error no_node_yet(std::string_view what) {
  return Error{.reason = Reason::kServiceUnavailable,
               .message = fmt::format("{}: no node is running on this engine yet; try again in a moment", what)};
}

}  // namespace muster::apiserver
