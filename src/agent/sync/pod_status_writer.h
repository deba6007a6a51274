// Writes the statuses of pods to the API, one write per pod at a time, and their events.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "agent/pod/os.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"

namespace muster::agent {

class PodStatusWriter final : public PodApi {
 public:
  using ReadEndOfLog = std::function<std::string(const std::string& uid, const std::string& container, int run)>;

  /// `on_done` is called, never inline, when a pod should be looked at again: a write has ended.
  PodStatusWriter(Loop& loop, client::ApiClient& client, const std::string& node, ReadEndOfLog end_of_log,
                  std::function<void(const std::string& uid)> on_done);

  bool show(const json::Document& pod, const PodView& view) override;
  void remove(const json::Document& pod) override;
  void report(const json::Document& pod, int launch, const PodEvent& event) override;
  /// Reports an event that may be the same as an earlier one, which is then counted.
  void report_again(const json::Document& pod, const PodEvent& event);
  /// Deletes the object of a pod that has ended and asks for it: nobody else may be left to remove it, such as that of
  /// `muster shell`.
  void remove_when_ended(const json::Document& pod);
  /// The pod is gone.
  void forget(const std::string& uid) { pods_.erase(uid); }

 private:
  struct Progress {
    bool is_writing = false;
    bool is_removing = false;
    std::string outdated;     // the resourceVersion that the informer still shows although a newer one is written
    std::string accepted_at;  // the resourceVersion at which the server accepted `accepted` without a change
    json::Document accepted;
    std::set<std::string> reported;
  };
  void on_written(const std::string& uid, const std::string& version, json::Document sent, Result<json::Document> done);
  void retry(const std::string& uid);

  Loop& loop_;
  client::ApiClient& client_;
  client::EventRecorder events_;
  ReadEndOfLog end_of_log_;
  std::function<void(const std::string&)> on_done_;
  std::map<std::string, Progress> pods_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
