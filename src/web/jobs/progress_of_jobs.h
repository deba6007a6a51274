// How far many jobs are, for lists of them. What was found is remembered for each job: a running one is looked at again
// after a while, and one that has ended never. So a list costs little, however often it is asked for.
//
// Loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/lifetime.h"
#include "base/ports.h"
#include "base/unique_function.h"
#include "web/jobs/job_progress.h"

namespace muster::web {

/// A stored job.
using JobBytes = std::shared_ptr<const std::string>;

class ProgressOfJobs {
 public:
  explicit ProgressOfJobs(const ProgressFrom& from) : from_(from), loop_(from.context.loop) {}

  /// Calls `done` once, perhaps inline: when it is known how far these jobs are, or else a second later with what is
  /// known until then. The others are looked at meanwhile.
  void look_at(const std::vector<JobBytes>& jobs, Task done);
  /// Returns what is known; empty where nothing is.
  jobs::Progress of(const std::string& uid) const;

 private:
  /// Who waits for some jobs.
  struct Waiting {
    std::size_t jobs = 0;  // that are still to be looked at
    Task done;
  };
  struct Known {
    jobs::Progress progress;
    std::string version;  // of the job that has ended, so that it need not be looked at again
    MonoTime fresh_until{};
    std::uint64_t asked = 0;  // when it was asked for last, as a number of questions
    bool is_wanted = false;   // waits for its search, or is being searched
    std::vector<std::shared_ptr<Waiting>> waiting;
  };

  bool is_fresh(const Known& known, const std::string& version) const;
  void want(const std::string& uid, const JobBytes& job, const std::shared_ptr<Waiting>& who);
  void start_some();
  void start(const std::string& uid, const JobBytes& bytes);
  void keep(const std::string& uid, jobs::Progress found);
  void forget_some();
  static void tell(Waiting& who);

  ProgressFrom from_;
  Loop& loop_;
  std::map<std::string, Known> known_;  // by the uid of the job
  std::deque<std::pair<std::string, JobBytes>> queue_;
  std::size_t running_ = 0;
  std::uint64_t questions_ = 0;
  Lifetime lifetime_;
};

}  // namespace muster::web
