// Notifier tells targets what happens to jobs. Each notice is sent at least once: what a target was told is recorded on
// the job after it took the notice, so a crash in between repeats it. Targets wait for nobody else: each has a line of
// its own, in which one notice is under way at a time, and a failure makes the line wait longer and longer.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/resource.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "notify/sender.h"

namespace muster::notify {

class Notifier {
 public:
  /// A notice that a target has not taken after so many attempts, about half an hour, is given up.
  static constexpr int kMostAttempts = 12;

  Notifier(Loop& loop, Rng& rng, client::ApiClient& client, Sender& sender, std::vector<Target> targets);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void start();

 private:
  struct JobKey {
    const api::Resource* kind = nullptr;
    std::string ns;
    std::string name;
    auto operator<=>(const JobKey&) const = default;
  };
  /// Where notices to one target wait. A Secret of a namespace is a target of that namespace.
  using LineId = std::pair<std::string, std::string>;  // namespace or "", name of the target
  struct Line {
    std::deque<JobKey> waiting = {};
    std::set<JobKey> queued = {};  // the same jobs
    bool is_busy = false;
    int failures = 0;    // in a row
    Loop::Id pause = 0;  // until the next attempt
  };
  /// What is known of a notice beyond the job's record.
  struct Progress {
    int attempts = 0;
    bool is_told = false;  // the record is being written
  };
  using NoticeId = std::tuple<std::string, std::string, std::string>;  // uid, target, id

  void publish();
  void publish_later(const Error& error);
  void write_list(const json::Document& known);
  void watch_jobs();
  void on_job(const api::Resource& kind, const client::Informer::Key& key, const json::Document* now);
  void add(const LineId& line, const JobKey& job);
  void serve(const LineId& line);
  void consider(const LineId& line, const JobKey& job);
  void consider(const LineId& line, const JobKey& job, const JobNews& news, const Result<Target>& target);
  void send(const LineId& line, const JobKey& job, const JobNews& news, const Target& target, const Notice& notice);
  void taken(const LineId& line, const JobKey& job, const JobNews& news, const Notice& notice, const Status& status);
  void failed(const LineId& line, const JobKey& job, const JobNews& news, const Notice& notice, const std::string& why);
  void record(const JobKey& job, const JobNews& news, const std::string& target, const std::string& id);
  void next(const LineId& line);
  void report(const JobKey& job, const JobNews& news, const std::string& reason, const std::string& message);
  void forget(const std::string& uid);

  Loop& loop_;
  Rng& rng_;
  client::ApiClient& client_;
  Sender& sender_;
  client::EventRecorder events_;
  std::vector<Target> targets_;
  std::map<LineId, Line> lines_;
  std::map<NoticeId, Progress> progress_;
  std::map<JobKey, std::string> uids_;  // of the jobs that concern somebody
  Lifetime lifetime_;
  std::map<const api::Resource*, std::unique_ptr<client::Informer>> informers_;  // last: they call into the others
};

}  // namespace muster::notify
