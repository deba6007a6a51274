// What a test says that pods and nodes use.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/metrics_api.h"

namespace muster::testing {

class FakeMetrics final : public client::MetricsApi {
 public:
  Result<client::NodeUsage> node_usage() override { return node; }
  std::optional<client::PodUsage> pod_usage(const std::string& uid) const override {
    const auto found = pods.find(uid);
    return found == pods.end() ? std::nullopt : std::optional(found->second);
  }
  Result<client::History> history(const client::HistoryRequest& request) const override {
    asked = request;
    if (past) return *past;
    return Error{.reason = Reason::kNotFound, .message = "not measured"};
  }
  std::vector<client::PodTotals> totals() const override { return sums; }

  client::NodeUsage node;
  std::map<std::string, client::PodUsage> pods;
  std::optional<client::History> past;
  std::vector<client::PodTotals> sums;
  mutable client::HistoryRequest asked;
};

}  // namespace muster::testing
