#include "apiserver/admission/node_policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/capabilities.h"
#include "api/rules/findings.h"
#include "apiserver/admission/pod_fields.h"
#include "apiserver/admission/pod_templates.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using api::Findings;
using json::Document;
using reflect::Place;

void visit_pod_specs(const api::Resource& resource, const Document& object, const auto& visit) {
  if (resource.qualified_name() == "pods") {
    if (const Document* spec = object.find("spec")) visit(*spec, reflect::kRoot.member("spec"));
    return;
  }
  visit_pod_templates(resource, object, [&visit](const Document& pod_template, const Place& at) {
    if (const Document* spec = pod_template.find("spec")) visit(*spec, at.member("spec"));
  });
}

void visit_containers(const Document& spec, const Place& at, const auto& visit) {
  for (const char* list : {"initContainers", "containers"}) api::visit_items(spec, list, at, visit);
}

void check_capabilities(const Document& security, const Place& at, Findings& found) {
  const Document* wanted = security.find("capabilities");
  if (wanted == nullptr) return;
  api::visit_items(*wanted, "add", at.member("capabilities"), [&](const Document& name, const Place& item) {
    if (!name.is_string() || api::capability_bit(name.as_string())) return;
    found.forbidden(item, fmt::format("a pod can have {} only, got {}; remove it", join(api::pod_capabilities(), ", "),
                                      quote(name.as_string())));
  });
}

std::optional<std::int64_t> user_in(const Document* security) {
  const Document* user = security == nullptr ? nullptr : security->find("runAsUser");
  return user != nullptr && user->is_int() ? std::optional(user->as_int()) : std::nullopt;
}

/// Images bring no user here, so that a container without a user runs as root.
void check_non_root(const Document* of_pod, const Document* of_container, const Place& at, Findings& found) {
  const Document* own = of_container == nullptr ? nullptr : of_container->find("runAsNonRoot");
  const Document* asked = own != nullptr || of_pod == nullptr ? own : of_pod->find("runAsNonRoot");
  if (asked == nullptr || !asked->is_bool() || !asked->as_bool()) return;
  const auto own_user = user_in(of_container);
  const auto user = own_user ? own_user : user_in(of_pod);
  const Place field = at.member("securityContext");
  if (!user) {
    found.required(field.member("runAsUser"), "runAsNonRoot needs it, because images bring no user on this engine");
  } else if (*user == 0) {
    found.forbidden(field.member("runAsUser"), "must not be 0, because runAsNonRoot is true");
  }
}

void check_container_security(const Document* of_pod, const Document& container, const Place& place, Findings& found) {
  const Document* security = container.find("securityContext");
  check_non_root(of_pod, security, place, found);
  if (security == nullptr) return;
  check_capabilities(*security, place.member("securityContext"), found);
}

void check_spec_security(const Document& spec, const Place& place, Findings& found) {
  check_pod_fields(spec, place, found);
  const Document* security = spec.find("securityContext");
  visit_containers(spec, place, [&](const Document& container, const Place& at) {
    check_container_security(security, container, at, found);
  });
}

}  // namespace

std::vector<FieldCause> check_pod_security(const api::Resource& resource, const Document& object) {
  Findings found;
  visit_pod_specs(resource, object,
                  [&](const Document& spec, const Place& at) { check_spec_security(spec, at, found); });
  return std::move(found).take();
}

std::vector<std::string> warn_about_idle_fields(const api::Resource& resource, const Document& object) {
  std::vector<IdleField> found;
  visit_pod_specs(resource, object, [&](const Document& spec, const Place& at) { find_idle_fields(spec, at, found); });
  std::vector<std::string> warnings;
  for (const IdleField& field : found) {
    warnings.push_back(fmt::format("{} has no effect: {}", field.path, field.rule->why));
  }
  return warnings;
}

std::vector<std::string> warn_about_host_ports(const NodePolicy& policy, const api::Resource& resource,
                                               const Document& object) {
  std::vector<std::string> warnings;
  if (policy.publishes_ports) return warnings;
  visit_pod_specs(resource, object, [&](const Document& spec, const Place& place) {
    if (spec.bool_at("hostNetwork")) return;
    visit_containers(spec, place, [&](const Document& container, const Place& at) {
      api::visit_items(container, "ports", at, [&](const Document& port, const Place& item) {
        if (port.int_at("hostPort") == 0 || !warnings.empty()) return;
        warnings.push_back(
            fmt::format("{} has no effect: pods share the network of this machine, in which programs "
                        "are reached at the address of their pod",
                        item.member("hostPort").text()));
      });
    });
  });
  return warnings;
}

std::vector<std::string> warn_about_images(const NodePolicy& policy, const api::Resource& resource,
                                           const Document& object) {
  std::vector<std::string> warnings;
  if (!policy.warn_about_image) return warnings;
  std::set<std::string> told;
  visit_pod_specs(resource, object, [&](const Document& spec, const Place& place) {
    visit_containers(spec, place, [&](const Document& container, const Place& at) {
      const std::string& image = container.string_at("image");
      const std::string warning = policy.warn_about_image(image);
      if (warning.empty() || !told.insert(image).second) return;
      warnings.push_back(fmt::format("{}: {}", at.member("image").text(), warning));
    });
  });
  return warnings;
}

}  // namespace muster::apiserver
