#include "control/runtime/port_book.h"

#include <set>

namespace muster::control {

PortBook::PortBook(std::function<bool(const std::string& uid)> is_live) : is_live_(std::move(is_live)) {}

void PortBook::note(const std::string& uid, int port) {
  taken_[uid] = port;
}

std::optional<int> PortBook::offer(const std::string& uid) {
  if (const auto found = taken_.find(uid); found != taken_.end()) return found->second;
  std::erase_if(taken_, [&](const auto& entry) { return !is_live_(entry.first); });
  std::set<int> used;
  for (const auto& [owner, port] : taken_) used.insert(port);
  for (int port = kFirst; port + kPerJob - 1 <= kLast; port += kPerJob) {
    if (used.contains(port)) continue;
    taken_[uid] = port;
    return port;
  }
  return std::nullopt;
}

}  // namespace muster::control
