// LiveList: list, then watch, kept going: a watch that ends is resumed, an expired one listed anew, a server that went
// away is given a minute to come back. Unlike client::Informer it stays in one namespace, can ask for Tables, and gives
// up: somebody is waiting in front of it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/session.h"

namespace muster::cli {

struct LiveQuery {
  client::ResourceName resource;
  std::string ns;
  std::string label_selector = {};
  std::string field_selector = {};
  bool as_table = false;
};

struct LiveSink {
  /// The whole list: at first, and again when a watch could not be resumed.
  std::function<void(const json::Document& list)> on_list;
  /// ADDED, MODIFIED, DELETED.
  std::function<void(const std::string& type, const json::Document& object)> on_event;
  /// At most once, and then nothing else comes.
  std::function<void(const Error& error)> on_failed;
};

/// Loop thread only. Callbacks come while the loop runs, never from within start().
class LiveList {
 public:
  LiveList(Session& session, LiveQuery query, LiveSink sink);
  ~LiveList();
  LiveList(const LiveList&) = delete;
  LiveList& operator=(const LiveList&) = delete;
  void start();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace muster::cli
