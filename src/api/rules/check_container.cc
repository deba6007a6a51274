// Checks one container of a pod.
#include <set>

#include "api/rules/check_pod_parts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

void check_ports(const Document& container, bool host_network, const Place& place, Findings& found) {
  std::set<std::string> names;
  visit_items(container, "ports", place, [&](const Document& port, const Place& at) {
    const std::string& name = port.string_at("name");
    if (!name.empty()) found.port_name(name, at.member("name"));
    if (!name.empty() && !names.insert(name).second) found.duplicate(at.member("name"), name);
    found.one_of(port, "protocol", at, {"SCTP", "TCP", "UDP"});
    const std::int64_t on_host = port.int_at("hostPort");
    if (on_host != 0) found.between(port, "hostPort", at, 1, 65535);
    if (host_network && on_host != 0 && on_host != port.int_at("containerPort")) {
      found.invalid(at.member("hostPort"), on_host, "must match `containerPort` when `hostNetwork` is true");
    }
  });
}

/// The program receives these as C strings, which end at the first NUL byte.
void check_program(const Document& container, const Place& place, Findings& found) {
  for (const char* key : {"command", "args"}) {
    visit_items(container, key, place, [&](const Document& word, const Place& at) { found.without_nul(word, at); });
  }
  for (const char* key : {"terminationMessagePath", "workingDir"}) found.without_nul(container, key, place);
}

}  // namespace

void check_container(const Document& spec, const Document& container, ContainerRole role, const Place& place,
                     Findings& found) {
  const std::string& image = container.string_at("image");
  if (found.has_text(container, "image", place) && trim(image) != image) {
    found.invalid(place.member("image"), image, "must not have leading or trailing whitespace");
  }
  found.one_of(container, "imagePullPolicy", place, {"Always", "IfNotPresent", "Never"});
  found.one_of(container, "terminationMessagePolicy", place, {"FallbackToLogsOnError", "File"});
  if (role == ContainerRole::kInit) {
    found.one_of(container, "restartPolicy", place, {"Always"});
  } else if (!container.string_at("restartPolicy").empty()) {
    found.forbidden(place.member("restartPolicy"), "may not be set for non-init containers");
  }
  check_program(container, place, found);
  check_ports(container, spec.bool_at("hostNetwork"), place, found);
  if (const Document* security = container.find("securityContext")) {
    const Place at = place.member("securityContext");
    for (const char* key : {"runAsUser", "runAsGroup"}) found.between(*security, key, at, 0, kMaxId);
  }
  check_mounts(spec, container, place, found);
  check_environment(container, place, found);
  check_amounts(container, place, found);
  check_probes(container, role, place, found);
}

}  // namespace muster::api
