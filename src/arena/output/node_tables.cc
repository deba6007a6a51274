// The tables of `arena top node`.
#include <fmt/core.h>

#include <algorithm>

#include "api/print/pod_row.h"
#include "arena/output/aligned.h"
#include "arena/output/tables.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using json::Document;

constexpr std::size_t kClassicRule = 89;
constexpr std::size_t kWideRule = 99;

std::int64_t gpu_amount(const Document& node, const char* list) {
  const Document* amount = node.at("status", list, kGpu);
  if (amount == nullptr) return 0;
  if (amount->is_int()) return amount->as_int();
  const auto parsed = amount->is_string() ? Quantity::parse(amount->as_string()) : std::nullopt;
  return parsed ? parsed->value() : 0;
}

std::vector<std::string> roles_of(const Document& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> out;
  const Document* labels = node.at("metadata", "labels");
  if (labels == nullptr || !labels->is_object()) return out;
  for (const json::Member& label : labels->as_object()) {
    if (label.key.starts_with(kPrefix) && label.key.size() > kPrefix.size()) {
      out.push_back(label.key.substr(kPrefix.size()));
    }
  }
  std::ranges::sort(out);
  return out;
}

std::string internal_ip(const Document& node) {
  for (const Document& address : node.array_at("status", "addresses")) {
    if (address.string_at("type") == "InternalIP") return address.string_at("address");
  }
  return "unknown";
}

std::string role_text(const NodeUse& node) {
  return node.roles.empty() ? "<none>" : join(node.roles, ",");
}

std::string status_text(const NodeUse& node, Layout layout) {
  if (layout == Layout::kClassic) return node.is_ready ? "ready" : "notReady";
  return std::string(node.is_ready ? "Ready" : "NotReady") + (node.is_cordoned ? ",SchedulingDisabled" : "");
}

std::string percent(std::int64_t part, std::int64_t whole, Layout layout) {
  if (layout == Layout::kClassic) return fmt::format("{}%", whole == 0 ? 0 : part * 100 / whole);
  return fmt::format("{:.1f}%", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

struct Totals {
  std::int64_t total = 0;
  std::int64_t allocated = 0;
  std::int64_t unhealthy = 0;
  std::int64_t ready_total = 0;
  std::int64_t ready_allocated = 0;
};

Totals totals_of(const std::vector<NodeUse>& nodes) {
  Totals out;
  for (const NodeUse& node : nodes) {
    out.total += node.total_gpus;
    out.allocated += node.allocated_gpus();
    out.unhealthy += node.unhealthy_gpus;
    out.ready_total += node.is_ready ? node.total_gpus : 0;
    out.ready_allocated += node.is_ready ? node.allocated_gpus() : 0;
  }
  return out;
}

std::string share_text(std::string_view what, std::int64_t part, std::int64_t whole, Layout layout) {
  return fmt::format("{} In Cluster:\n{}/{} ({})\n", what, part, whole, percent(part, whole, layout));
}

std::string totals_text(const Totals& totals, Layout layout) {
  std::string out = share_text("Allocated/Total GPUs", totals.allocated, totals.total, layout);
  if (totals.ready_total != totals.total) {
    out += share_text("Allocated/Total GPUs(Active)", totals.ready_allocated, totals.ready_total, layout);
  }
  if (totals.unhealthy > 0) out += share_text("Unhealthy/Total GPUs", totals.unhealthy, totals.total, layout);
  return out;
}

}  // namespace

std::int64_t NodeUse::allocated_gpus() const {
  std::int64_t total = 0;
  for (const NodePod& pod : pods) total += pod.gpus;
  return total;
}

std::vector<NodeUse> node_use(const json::Array& nodes, const json::Array& pods) {
  std::vector<NodeUse> out;
  for (const Document& node : nodes) {
    const std::int64_t capacity = gpu_amount(node, "capacity");
    NodeUse use{.name = node.string_at("metadata", "name"),
                .ip = internal_ip(node),
                .roles = roles_of(node),
                .is_ready = has_condition(node, "Ready"),
                .is_cordoned = node.bool_at("spec", "unschedulable"),
                .total_gpus = capacity,
                .unhealthy_gpus = std::max<std::int64_t>(0, capacity - gpu_amount(node, "allocatable"))};
    for (const Document& pod : pods) {
      const std::string& phase = pod.string_at("status", "phase");
      const bool over = phase == "Succeeded" || phase == "Failed";
      const Document* spec = pod.find("spec");
      if (over || spec == nullptr || spec->string_at("nodeName") != use.name) continue;
      const std::int64_t gpus = gpus_of(*spec);
      if (gpus == 0) continue;
      use.pods.push_back({.ns = pod.string_at("metadata", "namespace"),
                          .name = pod.string_at("metadata", "name"),
                          .state = api::pod_status(pod),
                          .gpus = gpus});
    }
    out.push_back(std::move(use));
  }
  return out;
}

std::string top_nodes_text(const std::vector<NodeUse>& nodes, bool with_totals, const Viewer& viewer) {
  const Totals totals = totals_of(nodes);
  const bool with_unhealthy = totals.unhealthy > 0;
  Row header{"NAME", "IPADDRESS", "ROLE", "STATUS", "GPU(Total)", "GPU(Allocated)"};
  if (with_unhealthy) header.emplace_back(viewer.layout == Layout::kClassic ? "GPU(Unhealthy)" : "UNHEALTHY");
  std::vector<Row> rows{header};
  for (const NodeUse& node : nodes) {
    rows.push_back({node.name, node.ip, role_text(node), status_text(node, viewer.layout),
                    std::to_string(node.total_gpus), std::to_string(node.allocated_gpus())});
    if (with_unhealthy) rows.back().push_back(std::to_string(node.unhealthy_gpus));
  }
  std::string out = aligned(rows);
  if (!with_totals) return out;
  const bool wide = with_unhealthy || viewer.layout == Layout::kModern;
  return out + std::string(wide ? kWideRule : kClassicRule, '-') + "\n" + totals_text(totals, viewer.layout);
}

std::string node_details_text(const std::vector<NodeUse>& nodes, const Viewer& viewer) {
  std::string out;
  for (const NodeUse& node : nodes) {
    out += aligned({{"Name:", node.name},
                    {"Status:", status_text(node, viewer.layout)},
                    {"Role:", role_text(node)},
                    {"Type:", node.total_gpus > 0 ? "GPUExclusive" : "Normal"},
                    {"Address:", node.ip}});
    std::vector<Row> rows{{"NAMESPACE", "NAME", "STATUS", "GPU(Requested)"},
                          {"---------", "----", "------", "--------------"}};
    for (const NodePod& pod : node.pods) rows.push_back({pod.ns, pod.name, pod.state, std::to_string(pod.gpus)});
    out += "\nInstances:\n" + aligned(rows, "  ");
    out += "\nGPU Summary:\n" + aligned({{"Total GPUs:", std::to_string(node.total_gpus)},
                                         {"Allocated GPUs:", std::to_string(node.allocated_gpus())},
                                         {"Unhealthy GPUs:", std::to_string(node.unhealthy_gpus)}},
                                        "  ");
    out += std::string(kWideRule, '-') + "\n";
  }
  return out + totals_text(totals_of(nodes), viewer.layout);
}

Document nodes_json(const std::vector<NodeUse>& nodes) {
  json::Array with_gpus;
  json::Array without;
  for (const NodeUse& node : nodes) {
    json::Array instances;
    for (const NodePod& pod : node.pods) {
      instances.push_back(
          json::Object{{"name", pod.name}, {"namespace", pod.ns}, {"status", pod.state}, {"requestGPUs", pod.gpus}});
    }
    const bool has_gpus = node.total_gpus > 0;
    (has_gpus ? with_gpus : without)
        .push_back(json::Object{{"name", node.name},
                                {"description", ""},
                                {"ip", node.ip},
                                {"status", status_text(node, Layout::kModern)},
                                {"role", role_text(node)},
                                {"type", has_gpus ? "GPUExclusive" : "Normal"},
                                {"totalGPUs", node.total_gpus},
                                {"allocatedGPUs", node.allocated_gpus()},
                                {"unhealthyGPUs", node.unhealthy_gpus},
                                {"gpuMetrics", json::Array{}},
                                {"instances", std::move(instances)}});
  }
  return json::Object{{"gpuExclusiveNodes", std::move(with_gpus)},
                      {"gpuShareNodes", json::Array{}},
                      {"gpuTopologyNodes", json::Array{}},
                      {"normalNodes", std::move(without)}};
}

}  // namespace muster::arena
