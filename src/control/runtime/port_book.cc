#include "control/runtime/port_book.h"

#include <set>

namespace muster::control {

namespace {
constexpr int kSlots = (PortBook::kLast - PortBook::kFirst + 1) / PortBook::kPerJob;
}

PortBook::PortBook(std::function<bool(const std::string& uid)> is_live, std::function<bool(int port)> is_free,
                   std::uint64_t first_slot)
    : is_live_(std::move(is_live)), is_free_(std::move(is_free)), first_slot_(static_cast<int>(first_slot % kSlots)) {}

void PortBook::note(const std::string& uid, int port) {
  taken_[uid] = port;
}

std::optional<int> PortBook::offer(const std::string& uid) {
  if (const auto found = taken_.find(uid); found != taken_.end()) return found->second;
  std::erase_if(taken_, [&](const auto& entry) { return !is_live_(entry.first); });
  std::set<int> used;
  for (const auto& [owner, port] : taken_) used.insert(port);
  for (int i = 0; i < kSlots; ++i) {
    const int port = kFirst + (first_slot_ + i) % kSlots * kPerJob;
    if (used.contains(port) || !is_free_(port)) continue;
    taken_[uid] = port;
    return port;
  }
  return std::nullopt;
}

}  // namespace muster::control
