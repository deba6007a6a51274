#include "store/index.h"

#include <algorithm>

namespace muster::store {

const Slot* Index::committed(const Key& key) const {
  const auto objects = committed_.find(key.resource);
  if (objects == committed_.end()) return nullptr;
  const auto found = objects->second.find(key);
  return found == objects->second.end() ? nullptr : &found->second;
}

const Slot* Index::latest(const Key& key) const {
  const auto found = accepted_.find(key);
  if (found == accepted_.end()) return committed(key);
  return found->second.slot ? &*found->second.slot : nullptr;
}

void Index::scan(const std::string& resource, const std::string& ns,
                 const std::function<void(const Key&, const Entry&)>& visit) const {
  const auto found = committed_.find(resource);
  if (found == committed_.end()) return;
  const Objects& objects = found->second;
  auto at = ns.empty() ? objects.begin() : objects.lower_bound(ByName::Ref(ns, ""));
  for (; at != objects.end() && (ns.empty() || at->first.ns == ns); ++at) visit(at->first, at->second.entry);
}

void Index::scan(const Range& range, const std::function<bool(const Key&, const Entry&)>& visit) const {
  const auto found = committed_.find(range.resource);
  if (found == committed_.end()) return;
  const Objects& objects = found->second;
  const auto first = std::max(ByName::Ref(range.from_ns, range.from_name), ByName::Ref(range.ns, ""));
  for (auto at = objects.lower_bound(first); at != objects.end(); ++at) {
    if (!range.ns.empty() && at->first.ns != range.ns) return;
    if (!visit(at->first, at->second.entry)) return;
  }
}

std::size_t Index::count(const std::string& resource) const {
  const auto objects = committed_.find(resource);
  return objects == committed_.end() ? 0 : objects->second.size();
}

Usage Index::used(const std::string& ns) const {
  const auto found = used_.find(ns);
  return found == used_.end() ? Usage() : found->second;
}

void Index::count_change(const Key& key, const Slot* from, const Slot* to) {
  if (from == nullptr && to == nullptr) return;
  Usage& used = used_[key.ns];
  if (from != nullptr) {
    --used.objects;
    used.bytes -= from->entry.bytes->size();
  }
  if (to != nullptr) {
    ++used.objects;
    used.bytes += to->entry.bytes->size();
  }
  if (used.objects == 0) used_.erase(key.ns);
}

void Index::drop_accepted() {
  for (const auto& [key, accepted] : accepted_) {
    count_change(key, accepted.slot ? &*accepted.slot : nullptr, committed(key));
  }
  accepted_.clear();
}

void Index::accept(const Key& key, Revision revision, std::optional<Slot> slot) {
  count_change(key, latest(key), slot ? &*slot : nullptr);
  accepted_.insert_or_assign(key, Accepted{revision, std::move(slot)});
}

std::optional<Slot> Index::commit(const Key& key, Revision revision, std::optional<Slot> slot) {
  // A later write of the same object may have been accepted meanwhile; that one stays the latest.
  const auto accepted = accepted_.find(key);
  // A write that was never accepted, or was dropped since, is not counted yet.
  if (accepted == accepted_.end()) count_change(key, committed(key), slot ? &*slot : nullptr);
  if (accepted != accepted_.end() && accepted->second.revision == revision) accepted_.erase(accepted);

  Objects& objects = committed_[key.resource];
  const auto found = objects.find(key);
  std::optional<Slot> previous;
  if (found != objects.end()) previous = std::move(found->second);
  if (slot && found != objects.end()) {
    found->second = *std::move(slot);
  } else if (slot) {
    objects.emplace(key, *std::move(slot));
  } else if (found != objects.end()) {
    objects.erase(found);
  }
  return previous;
}

}  // namespace muster::store
