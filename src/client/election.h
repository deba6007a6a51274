// Election: one candidate's part in choosing a leader by a Lease, with the rules of client-go, whose programs may take
// part. It decides, and LeaderElector asks the server. What the holder writes is compared with what it wrote before,
// and never with a clock: the clocks of candidates may differ and jump.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::client {

struct ElectionTimes {
  Duration lease_duration = std::chrono::seconds(15);  // after which the others may take a Lease that nobody renews
  Duration renew_deadline = std::chrono::seconds(10);  // after which a leader that cannot renew gives up
  Duration retry_period = std::chrono::seconds(2);     // between two tries
};
/// Fails unless the Lease outlives the deadline, and the deadline several tries.
Status check_election_times(const ElectionTimes& times);

class Election {
 public:
  enum class Move { kRead, kCreate, kUpdate, kWait };
  struct Step {
    Move move;
    json::Document lease = {};  // to be written
  };

  Election(std::string identity, ElectionTimes times) : identity_(std::move(identity)), times_(times) {}

  /// Returns what to ask the server now. kWait ends the try.
  Step next(MonoTime mono, Time now) const;
  void was_read(const Result<json::Document>& lease, MonoTime mono);
  /// `sent` is when the request left: the others count from no earlier moment.
  void was_written(const Result<json::Document>& lease, MonoTime sent);
  /// The request was dropped without an answer, so its outcome is unknown.
  void was_dropped() { view_.reset(); }

  bool leads() const { return leads_; }
  /// When a leader that has not renewed has to stop.
  MonoTime deadline() const { return renewed_ + times_.renew_deadline; }
  /// When the Lease of another holder ends, unless it is renewed; nullopt if nobody else holds it.
  std::optional<MonoTime> expires() const;
  const std::string& holder() const { return holder_; }
  /// Returns the Lease that tells the others to take over at once; nullopt if this candidate has nothing to release.
  std::optional<json::Document> released(Time now) const;

 private:
  json::Document claim(json::Document lease, Time now) const;
  void note(const json::Document& lease, MonoTime mono);

  std::string identity_;
  ElectionTimes times_;
  std::optional<json::Document> view_;  // the Lease as last read or written; null: it does not exist
  json::Document record_;               // the last spec seen, and
  MonoTime recorded_{};                 // since when
  std::string holder_;
  bool leads_ = false;
  MonoTime renewed_{};
};

}  // namespace muster::client
