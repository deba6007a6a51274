#include "web/jobs/progress_of_jobs.h"

#include <algorithm>

#include "jobs/kind.h"
#include "jobs/summary.h"
#include "json/excerpt.h"

namespace muster::web {
namespace {

using json::Document;

constexpr std::size_t kMostKnown = 2000;  // four of the longest lists
constexpr std::size_t kMostSearches = 4;  // at a time
constexpr Duration kLongestWait = std::chrono::seconds(1);
// A search may take long in a large folder, so a running job is looked at again after many times that.
constexpr int kTimesTheSearch = 20;
constexpr Duration kSoonest = std::chrono::seconds(1);
constexpr Duration kLatest = std::chrono::seconds(10);

}  // namespace

void ProgressOfJobs::look_at(const std::vector<JobBytes>& jobs, Task done) {
  static const json::Excerpt kNames({"metadata.uid", "metadata.resourceVersion"});
  ++questions_;
  const auto who = std::make_shared<Waiting>();
  for (const JobBytes& job : jobs) {
    const auto names = kNames.read(*job);
    if (!names) continue;
    const std::string uid = names->string_at("metadata", "uid");
    Known& known = known_[uid];
    known.asked = questions_;
    if (!is_fresh(known, names->string_at("metadata", "resourceVersion"))) want(uid, job, who);
  }
  forget_some();
  if (who->jobs == 0) return done();
  who->done = std::move(done);
  loop_.after(kLongestWait, lifetime_.guard([who] { tell(*who); }));
  start_some();
}

jobs::Progress ProgressOfJobs::of(const std::string& uid) const {
  const auto found = known_.find(uid);
  return found == known_.end() ? jobs::Progress() : found->second.progress;
}

bool ProgressOfJobs::is_fresh(const Known& known, const std::string& version) const {
  if (!known.version.empty() && known.version == version) return true;
  return !known.is_wanted && loop_.mono() < known.fresh_until;
}

void ProgressOfJobs::want(const std::string& uid, const JobBytes& job, const std::shared_ptr<Waiting>& who) {
  Known& known = known_[uid];
  ++who->jobs;
  known.waiting.push_back(who);
  if (!std::exchange(known.is_wanted, true)) queue_.emplace_back(uid, job);
}

void ProgressOfJobs::start_some() {
  while (running_ < kMostSearches && !queue_.empty()) {
    auto [uid, job] = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    start(uid, job);
  }
}

void ProgressOfJobs::start(const std::string& uid, const JobBytes& bytes) {
  auto job = json::parse(*bytes);
  if (!job) job = Document();
  // A job that ends during the search is looked at once more.
  const bool has_ended = jobs::kind_of_job(*job) != nullptr && jobs::summarise(*job).ended.has_value();
  const std::string version = has_ended ? job->string_at("metadata", "resourceVersion") : "";
  find_progress(from_, *std::move(job), lifetime_.guard([this, uid, version, begun = loop_.mono()](JobProgress found) {
    Known& known = known_[uid];
    known.version = version;
    const Duration pause = kTimesTheSearch * (loop_.mono() - begun);
    known.fresh_until = loop_.mono() + std::clamp(pause, kSoonest, kLatest);
    keep(uid, std::move(found.progress));
  }));
}

void ProgressOfJobs::keep(const std::string& uid, jobs::Progress found) {
  Known& known = known_[uid];
  known.progress = std::move(found);
  known.is_wanted = false;
  --running_;
  start_some();
  for (const auto& who : std::exchange(known.waiting, {})) {
    if (--who->jobs == 0) tell(*who);
  }
}

/// Those that nobody has asked for the longest time go, except those that are being looked at.
void ProgressOfJobs::forget_some() {
  if (known_.size() <= kMostKnown) return;
  std::vector<std::uint64_t> asked;
  for (const auto& [uid, one] : known_) asked.push_back(one.asked);
  const auto last = asked.begin() + static_cast<std::ptrdiff_t>(known_.size() - kMostKnown - 1);
  std::ranges::nth_element(asked, last);
  const std::uint64_t limit = std::min(*last, questions_ - 1);
  std::erase_if(known_, [&](const auto& one) { return one.second.asked <= limit && !one.second.is_wanted; });
}

void ProgressOfJobs::tell(Waiting& who) {
  if (who.done) std::exchange(who.done, nullptr)();
}

}  // namespace muster::web
