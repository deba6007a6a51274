#include "agent/launch/limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace muster::agent {

using json::Document;
using linux_os::CgroupLimits;

std::optional<Quantity> resource_of(const Document& container, std::string_view list, const std::string& name) {
  const Document* amount = container.at("resources", list, name);
  if (amount != nullptr && amount->is_int()) return Quantity::of(amount->as_int());
  return amount != nullptr && amount->is_string() ? Quantity::parse(amount->as_string()) : std::nullopt;
}

CgroupLimits limits_of(const Document& container, const Machine& machine) {
  CgroupLimits limits;
  const auto cpu_limit = resource_of(container, "limits", "cpu");
  const auto cpu_request = resource_of(container, "requests", "cpu");
  if (const auto& cpu = cpu_request ? cpu_request : cpu_limit) limits.cpu_request = cpu->milli_value();
  if (cpu_limit) limits.cpu_limit = std::min(cpu_limit->milli_value(), machine.cpus * 1000);
  if (const auto memory = resource_of(container, "limits", "memory"))
    limits.memory = std::min(memory->value(), machine.memory);
  return limits;
}

std::map<std::string, CgroupLimits> limits_by_container(const Document& pod, const Machine& machine) {
  std::map<std::string, CgroupLimits> result;
  for (const char* list : {"initContainers", "containers"}) {
    for (const Document& container : pod.array_at("spec", list)) {
      const CgroupLimits limits = limits_of(container, machine);
      if (limits != CgroupLimits{}) result[container.string_at("name")] = limits;
    }
  }
  return result;
}

std::int64_t shared_memory_size(const std::vector<std::shared_ptr<const Document>>& pods, const Machine& machine) {
  const std::int64_t half = machine.memory / 2;
  std::int64_t all = 0;
  for (const auto& pod : pods) {
    for (const Document& container : pod->array_at("spec", "containers")) {
      const std::int64_t limit = limits_of(container, machine).memory.value_or(0);
      if (limit == 0) return half;
      all = std::min(half, all + limit);
    }
  }
  return all == 0 ? half : all;
}

std::string unenforced(const std::map<std::string, CgroupLimits>& limits, const linux_os::CgroupTree& tree) {
  const auto any = [&](auto member) {
    return std::ranges::any_of(limits, [member](const auto& entry) { return (entry.second.*member).has_value(); });
  };
  if (!any(&CgroupLimits::cpu_limit) || tree.has("cpu")) return "";
  return "limits.cpu not enforced: " + tree.missing();
}

std::int64_t default_process_limit(std::int64_t cpus) {
  return std::max<std::int64_t>(4096, 512 * cpus);
}

}  // namespace muster::agent
