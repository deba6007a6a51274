#include "control/runtime/foreign_controllers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/clamped_seconds.h"
#include "base/log.h"

namespace muster::control {

namespace {

constexpr Duration kBetweenLooks = std::chrono::seconds(30);

/// An operator that others ship, by what its own manifests name.
struct KnownOperator {
  std::string_view name;
  std::string_view lease;
  std::string_view deployment_label;
  std::vector<std::string> kinds;
};

const std::array<KnownOperator, 2>& known_operators() {
  static const std::array<KnownOperator, 2> kKnown = {
      KnownOperator{"training-operator",
                    "1ca428e5.training-operator.kubeflow.org",
                    "control-plane=kubeflow-training-operator",
                    {"pytorchjobs.kubeflow.org", "tfjobs.kubeflow.org", "mpijobs.kubeflow.org"}},
      KnownOperator{"mpi-operator", "mpi-operator", "app=mpi-operator", {"mpijobs.kubeflow.org"}}};
  return kKnown;
}

std::set<std::string> intersection(const std::vector<std::string>& some, const std::set<std::string>& wanted) {
  std::set<std::string> both;
  for (const std::string& one : some) {
    if (wanted.contains(one)) both.insert(one);
  }
  return both;
}

}  // namespace

bool has_known_operator(const std::string& kind) {
  return std::ranges::any_of(known_operators(), [&](const KnownOperator& known) {
    return std::ranges::find(known.kinds, kind) != known.kinds.end();
  });
}

std::vector<std::string> leases_of_known_operators() {
  std::vector<std::string> names;
  for (const KnownOperator& known : known_operators()) names.emplace_back(known.lease);
  return names;
}

bool is_renewed(const json::Document& lease, Time now) {
  if (lease.string_at("spec", "holderIdentity").empty()) return false;
  const auto renewed = parse_rfc3339(lease.string_at("spec", "renewTime"));
  return renewed && now - *renewed < 2 * clamped_seconds(lease.int_at("spec", "leaseDurationSeconds"));
}

ForeignControllers::ForeignControllers(Loop& loop, client::ApiClient& client, const std::set<std::string>& kinds,
                                       const std::vector<std::string>& namespaces, OnChange on_change)
    : loop_(loop), client_(client), on_change_(std::move(on_change)) {
  for (const KnownOperator& known : known_operators()) {
    const std::set<std::string> concerned = intersection(known.kinds, kinds);
    if (concerned.empty()) continue;
    client::ListOptions leases;
    leases.field_selector = "metadata.name=" + std::string(known.lease);
    client::ListOptions deployments;
    deployments.label_selector = known.deployment_label;
    for (const std::string& ns : namespaces.empty() ? std::vector<std::string>{""} : namespaces) {
      probes_.push_back({std::string(known.name), {"coordination.k8s.io", "v1", "leases"}, ns, leases, concerned});
      probes_.push_back({std::string(known.name), {"apps", "v1", "deployments"}, ns, deployments, concerned});
    }
  }
}

void ForeignControllers::start(Task first) {
  first_ = std::move(first);
  if (probes_.empty()) return loop_.post(lifetime_.guard([this] { first_(); }));
  look();
}

const std::string& ForeignControllers::operator_of(const std::string& kind) const {
  static const std::string kNobody;
  const auto found = operators_.find(kind);
  return found == operators_.end() ? kNobody : found->second;
}

void ForeignControllers::look() {
  awaited_ = probes_.size();
  for (Probe& probe : probes_) {
    client_.list(probe.resource, probe.ns, probe.selector,
                 lifetime_.guard([this, &probe](const Result<json::Document>& list) { note(probe, list); }));
  }
}

void ForeignControllers::note(Probe& probe, const Result<json::Document>& list) {
  if (list) {
    probe.found = alive_in(probe, *list);
  } else if (list.error().reason == Reason::kForbidden || list.error().reason == Reason::kNotFound) {
    probe.found.clear();  // of other errors, such as a server that is away, the last answer still holds
  }
  if (--awaited_ > 0) return;
  compare();
  if (first_) std::exchange(first_, Task())();
  loop_.after(kBetweenLooks, lifetime_.guard([this] { look(); }));
}

std::string ForeignControllers::alive_in(const Probe& probe, const json::Document& list) const {
  const bool is_lease = probe.resource.plural == "leases";
  for (const json::Document& one : list.array_at("items")) {
    const bool alive = is_lease ? is_renewed(one, loop_.now()) : one.int_at("status", "availableReplicas") > 0;
    if (!alive) continue;
    return fmt::format("{} ({} {}/{})", probe.name, is_lease ? "Lease" : "Deployment",
                       one.string_at("metadata", "namespace"), one.string_at("metadata", "name"));
  }
  return "";
}

void ForeignControllers::compare() {
  std::map<std::string, std::string> now;
  std::set<std::string> kinds;
  for (const Probe& probe : probes_) {
    for (const std::string& kind : probe.kinds) {
      kinds.insert(kind);
      if (now[kind].empty()) now[kind] = probe.found;
    }
  }
  std::swap(operators_, now);
  for (const std::string& kind : kinds) {
    const std::string& who = operators_[kind];
    if (who.empty() == now[kind].empty()) continue;
    if (who.empty()) {
      LOG_INFO("no other operator runs the kind any more; running its jobs", {"kind", kind});
    } else {
      LOG_WARN("another operator runs the kind; leaving its jobs alone", {"kind", kind}, {"operator", who},
               {"fix", "stop it, or run muster operator --kinds " + kind + "=on"});
    }
    on_change_(kind);
  }
}

}  // namespace muster::control
