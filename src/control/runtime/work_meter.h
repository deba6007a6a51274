// WorkMeter: the numbers that an operator tells about its work. Counters are kept as things change, so that reading
// them costs no time in proportion to the jobs. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/prometheus.h"
#include "base/result.h"
#include "base/time.h"
#include "jobs/model/model.h"

namespace muster::control {

class WorkMeter {
 public:
  /// From now on, jobs that come are new: their times are measured.
  void open() { open_ = true; }

  void reconciled(const std::string& api_version, const std::string& kind, Duration took, const Status& result);
  /// `job` is the job's uid.
  void job_seen(std::string_view api_version, std::string_view kind, const std::string& job, jobs::Phase phase,
                MonoTime now);
  void job_gone(const std::string& job);
  /// All of the job's pods exist. Only the first call for a job counts.
  void pods_created(const std::string& job, MonoTime now);

  void append(std::string& out) const;

 private:
  // Seconds.
  static constexpr prometheus::Histogram<12>::Buckets kWorkBuckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                      0.1,   0.25,   0.5,   1,    5,     30};
  static constexpr prometheus::Histogram<12>::Buckets kJobBuckets = {0.05, 0.1, 0.25, 0.5, 1,   2.5,
                                                                     5,    10,  30,   60,  300, 1800};
  using Kind = std::pair<std::string, std::string>;  // API group, kind

  struct KnownJob {
    Kind kind;
    jobs::Phase phase = jobs::Phase::kNew;
  };
  /// A new job, until it runs or ends.
  struct Birth {
    MonoTime seen;
    bool has_pods = false;
  };

  void count(const KnownJob& job, int change);

  bool open_ = false;
  std::map<std::pair<Kind, std::string_view>, std::uint64_t> reconciles_;  // by result
  std::map<Kind, prometheus::Histogram<12>> durations_;
  std::map<std::pair<Kind, jobs::Phase>, std::int64_t> jobs_;
  std::unordered_map<std::string, KnownJob> known_;  // by uid
  std::unordered_map<std::string, Birth> births_;    // by uid
  std::map<Kind, prometheus::Histogram<12>> until_pods_;
  std::map<Kind, prometheus::Histogram<12>> until_running_;
};

}  // namespace muster::control
