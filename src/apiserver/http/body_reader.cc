#include "apiserver/http/body_reader.h"

#include <fmt/core.h>

#include "base/thread.h"

namespace muster::apiserver {
namespace {

constexpr int kThreads = 2;  // so that the body of one account does not hold up another's

}  // namespace

BodyReader::~BodyReader() {
  lifetime_.end();
  std::map<std::string, std::deque<Job>> dropped;  // destroyed without the mutex: what they hold may be anything
  {
    const MutexLock lock(mutex_);
    dropped.swap(jobs_);
    next_.clear();
    for (std::jthread& thread : threads_) thread.request_stop();
    wake_.notify_all();
  }
  threads_.clear();
}

Status BodyReader::read(const std::string& account, std::shared_ptr<const net::Request> request, Done done) {
  std::size_t& waiting = waiting_[account];
  if (waiting >= kMostWaiting) {
    Error error;
    error.reason = Reason::kTooManyRequests;
    error.message = fmt::format("{} large bodies of this account are being read; send this one again later", waiting);
    error.retry_after = std::chrono::seconds(1);
    return error;
  }
  ++waiting;
  Job job;
  job.request = std::move(request);
  job.deliver = lifetime_.guard([this, account, done = std::move(done)](Body body) mutable {
    if (--waiting_[account] == 0) waiting_.erase(account);
    done(std::move(body));
  });
  while (threads_.size() < kThreads) {
    threads_.push_back(start_thread("bodies", [this](const std::stop_token& stop) { serve(stop); }));
  }
  const MutexLock lock(mutex_);
  const auto [jobs, is_idle] = jobs_.try_emplace(account);
  jobs->second.push_back(std::move(job));
  if (!is_idle) return ok();
  next_.push_back(account);
  wake_.notify_one();
  return ok();
}

void BodyReader::serve(const std::stop_token& stop) {
  for (;;) {
    std::string account;
    Job job;
    {
      const MutexLock lock(mutex_);
      while (next_.empty() && !stop.stop_requested()) mutex_.wait(wake_);
      if (stop.stop_requested()) return;
      account = std::move(next_.front());
      next_.pop_front();
      auto& jobs = jobs_[account];  // stays, even if empty, for as long as one of its bodies is being read
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    loop_.post([deliver = std::move(job.deliver), body = parse_body(*job.request),
                request = std::move(job.request)]() mutable { deliver(std::move(body)); });
    const MutexLock lock(mutex_);
    const auto jobs = jobs_.find(account);
    if (jobs == jobs_.end()) continue;
    if (jobs->second.empty()) {
      jobs_.erase(jobs);
    } else {
      next_.push_back(account);
      wake_.notify_one();
    }
  }
}

}  // namespace muster::apiserver
