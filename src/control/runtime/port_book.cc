#include "control/runtime/port_book.h"

#include <algorithm>
#include <set>

namespace muster::control {

namespace {

constexpr int kSlots = (PortBook::kLast - PortBook::kFirst + 1) / PortBook::kPerSlot;

int slots_for(int ports) {
  return (ports + PortBook::kPerSlot - 1) / PortBook::kPerSlot;
}

}  // namespace

PortBook::PortBook(std::function<bool(const std::string& uid)> is_live, std::function<bool(int port)> is_free,
                   std::uint64_t first_slot)
    : is_live_(std::move(is_live)), is_free_(std::move(is_free)), first_slot_(static_cast<int>(first_slot % kSlots)) {}

void PortBook::note(const std::string& uid, int first, int count) {
  // The status may contain any number.
  if (first >= kFirst && first <= kLast) taken_[uid] = {first, std::clamp(count, 1, kLast - first + 1)};
}

bool PortBook::is_range_free(int first, int count) const {
  for (int port = first; port < first + count; ++port) {
    if (!is_free_(port)) return false;
  }
  return true;
}

std::optional<int> PortBook::offer(const std::string& uid, int count) {
  if (const auto found = taken_.find(uid); found != taken_.end() && found->second.count >= count) {
    return found->second.first;
  }
  std::erase_if(taken_, [&](const auto& entry) { return entry.first == uid || !is_live_(entry.first); });
  std::set<int> used;  // slots
  for (const auto& [owner, range] : taken_) {
    const int slot = (range.first - kFirst) / kPerSlot;
    for (int i = 0; i < slots_for(range.count); ++i) used.insert(slot + i);
  }
  const int wanted = slots_for(count);
  for (int i = 0; i < kSlots; ++i) {
    const int slot = (first_slot_ + i) % kSlots;
    const auto next_used = used.lower_bound(slot);
    if (slot + wanted > kSlots || (next_used != used.end() && *next_used < slot + wanted)) continue;
    const int first = kFirst + slot * kPerSlot;
    if (!is_range_free(first, count)) continue;
    taken_[uid] = {first, count};
    return first;
  }
  return std::nullopt;
}

}  // namespace muster::control
