#include "agent/pod/gangs.h"

#include "api/owners.h"

namespace muster::agent {
namespace {

using json::Document;

/// A pod that is being deleted belongs to the attempt before.
bool is_member(const Document* pod) {
  return pod != nullptr && api::gang_size(*pod) > 1 && !pod->string_at("status", "podIP").empty() &&
         pod->at("metadata", "deletionTimestamp") == nullptr;
}

}  // namespace

bool Gangs::on_pod_changed(const Document* before, const Document* now) {
  if (is_member(before)) {
    const auto gang = members_.find(api::gang_of(*before));
    if (gang != members_.end()) {
      gang->second.erase(before->string_at("metadata", "uid"));
      if (gang->second.empty()) members_.erase(gang);
    }
  }
  if (!is_member(now)) return false;
  members_[api::gang_of(*now)].insert(now->string_at("metadata", "uid"));
  return !is_member(before);
}

const std::set<std::string>& Gangs::members(const Document& pod) const {
  static const std::set<std::string> kNone;
  const auto gang = members_.find(api::gang_of(pod));
  return gang == members_.end() ? kNone : gang->second;
}

bool Gangs::is_bound(const Document& pod) const {
  return members(pod).size() >= api::gang_size(pod) || api::gang_size(pod) <= 1;
}

}  // namespace muster::agent
