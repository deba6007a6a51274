// Checks the resource requests and limits of a container.
#include <array>

#include "api/rules/check_pod_parts.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

constexpr std::array<std::string_view, 3> kOfContainers = {"cpu", "memory", "ephemeral-storage"};

bool is_huge_page(std::string_view name) {
  return name.starts_with("hugepages-");
}

/// Whether it is an extended resource, such as "nvidia.com/gpu".
bool is_extended(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

void check_resource_name(const std::string& name, const Place& at, Findings& found) {
  if (name.find('/') != std::string::npos) {
    if (!is_qualified_name(name)) found.invalid(at, name, "prefix and name must each be a valid name");
    if (is_extended(name) && (!is_qualified_name(name) || name.starts_with("requests."))) {
      found.invalid(at, name, "doesn't follow extended resource name standard");
    }
    return;
  }
  if (contains(kOfContainers, name) || is_huge_page(name)) return;
  if (!is_standard_resource(name)) {
    found.invalid(at, name, "must be a standard resource type or fully qualified");
  }
  found.invalid(at, name, "must be a standard resource for containers");
}

std::string text_at(const Document& resources, std::string_view which, std::string_view name) {
  const Document* found = resources.at(which, name);
  return found == nullptr ? "" : reflect::quantity_text(*found).value_or("");
}

/// A request must not exceed its limit, and must equal it for resources that cannot be overcommitted.
void check_request(const Document& resources, const std::string& name, const Place& at, Findings& found) {
  const bool shared = !is_extended(name) && !is_huge_page(name);
  const std::string text = text_at(resources, "requests", name);
  const std::string limit_text = text_at(resources, "limits", name);
  const auto wanted = Quantity::parse(text);
  const auto limit = Quantity::parse(limit_text);
  if (!limit) {
    if (!shared) found.required(at.member("limits"), "Limit must be set for non overcommitable resources");
  } else if (wanted && *wanted > *limit) {
    found.invalid(at.member("requests"), text, "must be less than or equal to " + name + " limit of " + limit_text);
  } else if (wanted && *wanted < *limit && !shared) {
    found.invalid(at.member("requests"), text, "must be equal to " + name + " limit of " + limit_text);
  }
}

}  // namespace

void check_amounts(const Document& container, const Place& place, Findings& found) {
  const Document* resources = container.find("resources");
  if (resources == nullptr) return;
  const Place at = place.member("resources");
  bool huge = false;
  bool ordinary = false;
  for (const char* which : {"limits", "requests"}) {
    for (const auto& [name, amount] : members_of(*resources, which)) {
      const std::string member = std::string(which) + "[" + name + "]";
      const Place amount_at = at.member(member);
      check_resource_name(name, amount_at, found);
      huge = huge || is_huge_page(name);
      ordinary = ordinary || name == "cpu" || name == "memory";
      const std::string text = text_at(*resources, which, name);
      const auto value = Quantity::parse(text);
      if (value && *value < Quantity()) found.invalid(amount_at, text, "must be greater than or equal to 0");
      if (is_extended(name) && value && Quantity::of(value->value()) != *value) {
        found.invalid(amount_at, text, "must be an integer");
      }
      if (std::string_view(which) == "requests") check_request(*resources, name, at, found);
    }
  }
  if (huge && !ordinary) found.forbidden(at, "HugePages require cpu or memory");
}

}  // namespace muster::api
