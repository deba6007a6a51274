// What a test says that pods and nodes use.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node/metrics_api.h"

namespace muster::testing {

class FakeMetrics final : public node::MetricsApi {
 public:
  Result<node::NodeUsage> node_usage() override { return node; }
  std::optional<node::PodUsage> pod_usage(const std::string& uid) const override {
    const auto found = pods.find(uid);
    return found == pods.end() ? std::nullopt : std::optional(found->second);
  }
  Result<node::History> history(const node::HistoryRequest& request) const override {
    asked = request;
    if (past) return *past;
    return Error{.reason = Reason::kNotFound, .message = "not measured"};
  }
  std::vector<node::PodTotals> totals() const override { return sums; }

  node::NodeUsage node;
  std::map<std::string, node::PodUsage> pods;
  std::optional<node::History> past;
  std::vector<node::PodTotals> sums;
  mutable node::HistoryRequest asked;
};

}  // namespace muster::testing
