// What Kubeflow's own CRDs (training-operator 1.9, mpi-operator v2beta1) store of a job's status: they prune the rest.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "json/document.h"

namespace muster::testing {

namespace detail {

inline void keep_only(std::span<const std::string_view> known, json::Document& object) {
  if (!object.is_object()) return;
  json::Object kept;
  for (json::Member& member : object.as_object()) {
    if (std::ranges::find(known, member.key) != known.end()) kept.append(member.key, std::move(member.value));
  }
  object = std::move(kept);
}

}  // namespace detail

inline void prune_as_kubeflow_does(json::Document& status) {
  static constexpr std::array<std::string_view, 5> kStatus = {"conditions", "replicaStatuses", "startTime",
                                                              "completionTime", "lastReconcileTime"};
  static constexpr std::array<std::string_view, 5> kCounts = {"active", "succeeded", "failed", "selector",
                                                              "labelSelector"};
  static constexpr std::array<std::string_view, 6> kCondition = {"type",    "status",         "reason",
                                                                 "message", "lastUpdateTime", "lastTransitionTime"};
  detail::keep_only(kStatus, status);
  if (status.find("replicaStatuses") != nullptr) {
    for (json::Member& role : status["replicaStatuses"].as_object()) detail::keep_only(kCounts, role.value);
  }
  if (status.find("conditions") != nullptr) {
    for (json::Document& condition : status["conditions"].as_array()) detail::keep_only(kCondition, condition);
  }
}

}  // namespace muster::testing
