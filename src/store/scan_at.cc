#include "store/scan_at.h"

#include <fmt/core.h>

#include <map>
#include <tuple>

namespace muster::store {
namespace {

/// The entries that differed from now, by key; an empty entry means that the object did not exist.
using Past = std::map<Key, Entry>;

bool within(const Range& range, const Key& key) {
  if (!range.ns.empty() && key.ns != range.ns) return false;
  return std::tie(key.ns, key.name) >= std::tie(range.from_ns, range.from_name);
}

Result<Past> undo(const History& history, const Range& range, Revision at) {
  Past past;
  bool known = true;
  TRY(history.replay(range.resource, at, [&](const std::shared_ptr<const Event>& event) {
    if (!within(range, event->key)) return true;
    // The first change since then has the state of that time; later changes started from it.
    if (!past.try_emplace(event->key, event->previous).second) return true;
    known = event->type == EventType::kAdded || event->previous.bytes != nullptr;
    return known;
  }));
  if (known) return past;
  Error error;
  error.reason = Reason::kExpired;
  error.message = fmt::format("too old resource version: {}", at);
  return error;
}

}  // namespace

Status scan_at(const Index& index, const History& history, const Range& range, Revision at,
               const std::function<bool(const Key&, const Entry&)>& visit) {
  TRY_ASSIGN(const Past past, undo(history, range, at));
  auto next = past.begin();
  bool wanted = true;
  // The past entries and the index are both in key order, so they are merged.
  const auto visit_past = [&](const Key* before) {
    for (; wanted && next != past.end() && (before == nullptr || next->first < *before); ++next) {
      if (next->second.bytes != nullptr) wanted = visit(next->first, next->second);
    }
  };
  index.scan(range, [&](const Key& key, const Entry& entry) {
    visit_past(&key);
    if (!wanted) return false;
    const bool changed = next != past.end() && next->first == key;
    const Entry& then = changed ? next->second : entry;
    if (changed) ++next;
    if (then.bytes != nullptr) wanted = visit(key, then);
    return wanted;
  });
  visit_past(nullptr);
  return ok();
}

}  // namespace muster::store
