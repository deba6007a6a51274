// JobWatch: the jobs of all kinds that the server has, as one list that is kept up to date.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/jobs/find_job.h"
#include "client/live_list.h"

namespace muster::cli {

struct JobChange {
  FoundJob found;
  bool deleted = false;
};

/// Loop thread only.
class JobWatch {
 public:
  /// An empty `ns` watches all namespaces.
  JobWatch(Session& session, const std::string& ns, const client::ListOptions& options);
  void start();

  /// Whether every kind has been listed, as far as the server has it and lets this user see it.
  bool listed() const;
  /// Returns what was seen since the last call; the first list is ordered like that of list_jobs.
  std::vector<JobChange> take();
  bool has_changes() const { return !changes_.empty(); }
  /// Set when no kind can be watched any more.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct OfKind {
    ServedKind kind;
    std::unique_ptr<client::LiveList> live = {};
    bool answered = false;
    bool listed = false;
    std::map<std::string, json::Document> known = {};  // by namespace and name
  };
  client::LiveSink sink_of(OfKind& of);
  void got_list(OfKind& of, const json::Document& list);
  void saw(OfKind& of, const json::Document& object, bool deleted);
  void failed(OfKind& of, const Error& error);

  std::vector<OfKind> kinds_;
  std::vector<JobChange> changes_;
  bool first_taken_ = false;
  std::optional<Error> failure_;
};

}  // namespace muster::cli
