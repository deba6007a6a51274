// BodyReader: reads large bodies off the loop. Some texts of the permitted size take seconds, such as YAML with a
// million nodes. Each account has one body read at a time, in the order of arrival, and a limited number that wait; so
// an account that floods the server with such bodies waits for itself. Loop thread only, apart from the internal
// threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/http/body.h"
#include "base/lifetime.h"
#include "base/mutex.h"
#include "base/ports.h"
#include "base/result.h"
#include "base/unique_function.h"
#include "net/http.h"

namespace muster::apiserver {

class BodyReader {
 public:
  static constexpr std::size_t kMostWaiting = 16;  // of an account, with the one that is being read

  explicit BodyReader(Loop& loop) : loop_(loop) {}
  /// Waits for the bodies that are being read, and drops the rest. No result is delivered afterwards.
  ~BodyReader();

  using Done = UniqueFunction<void(Body)>;
  /// Reads the body of the request, then calls `done` on the loop. TooManyRequests when too many of the account wait.
  Status read(const std::string& account, std::shared_ptr<const net::Request> request, Done done);

 private:
  struct Job {
    std::shared_ptr<const net::Request> request;
    UniqueFunction<void(Body)> deliver;
  };
  void serve(const std::stop_token& stop);

  Loop& loop_;
  std::map<std::string, std::size_t> waiting_;  // by account
  Lifetime lifetime_;

  Mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, std::deque<Job>> jobs_ GUARDED_BY(mutex_);  // by account
  std::deque<std::string> next_ GUARDED_BY(mutex_);  // accounts of which a body waits and none is being read

  std::vector<std::jthread> threads_;  // started with the first body
};

}  // namespace muster::apiserver
