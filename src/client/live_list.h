// LiveList: a list followed by a watch. A watch that ends is resumed, an expired one starts over with a new list, and
// after the first list an unreachable server is retried for a minute. Unlike Informer it stays in one namespace, can
// request Tables, and gives up eventually, because a user is waiting for it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ports.h"
#include "client/api_client.h"

namespace muster::client {

struct LiveQuery {
  ResourceName resource;
  std::string ns;
  std::string label_selector = {};
  std::string field_selector = {};
  bool as_table = false;
};

struct LiveSink {
  /// Called with the whole list: at first, and again whenever a watch could not be resumed.
  std::function<void(const json::Document& list)> on_list;
  /// `type` is ADDED, MODIFIED or DELETED.
  std::function<void(const std::string& type, const json::Document& object)> on_event;
  /// Called at most once; no callback follows.
  std::function<void(const Error& error)> on_failed;
};

/// Loop thread only. Callbacks are invoked from the loop, never from within start().
class LiveList {
 public:
  LiveList(Loop& loop, ApiClient& api, LiveQuery query, LiveSink sink);
  ~LiveList();
  LiveList(const LiveList&) = delete;
  LiveList& operator=(const LiveList&) = delete;
  void start();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::client
