#include "net/connection_pool.h"

#include <algorithm>

#include "net/server_connection.h"

namespace muster::net {

bool ConnectionPool::has_room(MonoTime now) const {
  return strangers_.size() < limits_.strangers || now - strangers_.begin()->second.since >= limits_.stranger_patience;
}

void ConnectionPool::add(std::shared_ptr<Connection> stranger, MonoTime now) {
  if (strangers_.size() >= limits_.strangers) evict();
  stranger->ticket = ++last_ticket_;
  strangers_.emplace(last_ticket_, Place{.connection = std::move(stranger), .since = now});
}

bool ConnectionPool::evict() {
  if (strangers_.empty()) return evict_idle();
  const auto oldest = strangers_.begin()->second.connection;
  oldest->close();
  return true;
}

bool ConnectionPool::evict_idle() {
  std::shared_ptr<Connection> longest;
  for (const auto& [ticket, place] : known_) {
    const auto idle_until = place.connection->idle_until();
    if (idle_until && (longest == nullptr || *idle_until < *longest->idle_until())) longest = place.connection;
  }
  if (longest == nullptr) return false;
  longest->close();
  return true;
}

bool ConnectionPool::recognise(const Connection& stranger) {
  if (known_.size() >= limits_.connections && !evict_idle()) return false;
  known_.insert(strangers_.extract(stranger.ticket));
  return true;
}

void ConnectionPool::remove(const Connection& connection) {
  const std::uint64_t ticket = connection.ticket;  // the connection may be destroyed with its place
  if (strangers_.erase(ticket) == 0) known_.erase(ticket);
}

std::vector<std::shared_ptr<Connection>> ConnectionPool::all() const {
  std::vector<std::shared_ptr<Connection>> out;
  out.reserve(size());
  for (const auto* places : {&strangers_, &known_}) {
    for (const auto& [ticket, place] : *places) out.push_back(place.connection);
  }
  return out;
}

}  // namespace muster::net
