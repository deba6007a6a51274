// SyncQueue: which pods may have a next step, and when. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/ports.h"

namespace muster::agent {

class SyncQueue {
 public:
  /// `sync` is called for each key that was added, once however often it was added; never inline.
  SyncQueue(Loop& loop, std::function<void(const std::string& key)> sync);
  ~SyncQueue();

  /// Nothing is synced before this call: decisions made from a partial view would be wrong.
  void open();
  void add(const std::string& key);
  /// Adds the key later; replaces an earlier delay.
  void add_after(const std::string& key, Duration delay);
  /// Cancels a delayed key.
  void forget(const std::string& key);

 private:
  void post();
  void drain();

  Loop& loop_;
  std::function<void(const std::string&)> sync_;
  std::set<std::string> added_;
  std::set<std::string> draining_;  // taken from added_, processed in slices
  std::map<std::string, Loop::Id> timers_;
  bool is_open_ = false;
  bool is_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false once destroyed
};

}  // namespace muster::agent
