#include "agent/files/claim_usage.h"

#include <algorithm>

#include "agent/disk/tree_size.h"
#include "agent/volumes/volumes.h"
#include "base/log.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr Duration kMeasureEvery = std::chrono::minutes(5);
constexpr Duration kAfterWriting = std::chrono::seconds(1);

const std::string& uid_of(const Document& claim) {
  return claim.string_at("metadata", "uid");
}

bool is_bound(const Document& claim) {
  return claim.string_at("status", "phase") == "Bound" && claim.at("metadata", "deletionTimestamp") == nullptr;
}

}  // namespace

ClaimUsage::~ClaimUsage() {
  loop_.cancel(timer_);
  for (const auto& [key, timer] : soon_) loop_.cancel(timer);
}

void ClaimUsage::start(const Cache& claims) {
  claims_ = &claims;
  measure_all();
}

void ClaimUsage::measure_all() {
  for (const auto& [key, held] : *claims_) measure(key);
  timer_ = loop_.after(kMeasureEvery, [this] { measure_all(); });
}

void ClaimUsage::on_claim_changed(const Key& key, const Document* before, const Document* now) {
  if (before != nullptr && (now == nullptr || uid_of(*now) != uid_of(*before))) by_uid_.erase(uid_of(*before));
  if (claims_ != nullptr && now != nullptr && !by_uid_.contains(uid_of(*now))) measure(key);
}

void ClaimUsage::on_written(const Document& claim) {
  const Key key{claim.string_at("metadata", "namespace"), claim.string_at("metadata", "name")};
  if (soon_.contains(key)) return;
  soon_[key] = loop_.after(kAfterWriting, [this, key] {
    soon_.erase(key);
    measure(key);
  });
}

std::optional<node::ClaimUse> ClaimUsage::find(const Document& claim) const {
  const auto found = by_uid_.find(uid_of(claim));
  return found == by_uid_.end() ? std::nullopt : std::optional(found->second);
}

void ClaimUsage::measure(const Key& key) {
  if (std::ranges::find(waiting_, key) != waiting_.end()) return;
  waiting_.push_back(key);
  measure_next();
}

void ClaimUsage::measure_next() {
  while (!is_measuring_ && !waiting_.empty()) {
    const Key key = waiting_.front();
    waiting_.pop_front();
    const auto found = claims_->find(key);
    if (found == claims_->end() || !is_bound(*found->second.document)) continue;
    is_measuring_ = true;
    const Document& claim = *found->second.document;
    disk_.run(
        [folder = claim_folder(claim, paths_)](const std::stop_token& stop) { return measure_tree(folder, stop); },
        [this, key, uid = uid_of(claim)](const TreeSize& size) {
          is_measuring_ = false;
          on_measured(key, uid, {size.bytes, size.entries, size.is_complete, loop_.now()});
          measure_next();
        });
  }
}

void ClaimUsage::on_measured(const Key& key, const std::string& uid, const node::ClaimUse& use) {
  const auto found = claims_->find(key);
  if (found == claims_->end() || uid_of(*found->second.document) != uid) return;
  by_uid_[uid] = use;
  annotate(*found->second.document, use);
}

/// An empty claim needs no annotation, so that claims which nobody has written to stay as they were made.
void ClaimUsage::annotate(const Document& claim, const node::ClaimUse& use) {
  const std::string& shown = claim.string_at("metadata", "annotations", node::kUsedAnnotation);
  const std::string text = std::to_string(use.bytes);
  if (shown == text || (shown.empty() && use.bytes == 0)) return;
  const Document patch =
      Object{{"metadata", Object{{"uid", uid_of(claim)}, {"annotations", Object{{node::kUsedAnnotation, text}}}}}};
  client_.patch({client::ResourceName("", "v1", "persistentvolumeclaims"), claim.string_at("metadata", "namespace"),
                 claim.string_at("metadata", "name")},
                client::PatchType::kMerge, patch, {}, [](const Result<Document>& done) {
                  // The claim may be gone by now, or another has its name.
                  if (done || done.error().reason == Reason::kNotFound || done.error().reason == Reason::kConflict)
                    return;
                  LOG_WARN("the use of a claim is not shown", {"error", done.error().message});
                });
}

}  // namespace muster::agent
