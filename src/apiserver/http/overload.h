// Overload: counts the requests in progress and rejects more than the limit. A request counts until its response is
// sent; a watch, a followed log or a file counts as a stream from its first byte to its end. Loop thread only.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

class Overload : public std::enable_shared_from_this<Overload> {
 public:
  Overload(std::size_t max_requests, std::size_t max_streams)
      : max_requests_(max_requests), max_streams_(max_streams) {}

  /// Returns the exchange, counted; TooManyRequests at the limit. Nothing is queued: a client that waits and retries
  /// costs less than one that is kept.
  Result<std::shared_ptr<net::Exchange>> enter(std::shared_ptr<net::Exchange> exchange, bool streams);

  std::size_t requests() const { return requests_; }
  std::size_t streams() const { return streams_; }

 private:
  class Counted;

  const std::size_t max_requests_;
  const std::size_t max_streams_;
  std::size_t requests_ = 0;
  std::size_t streams_ = 0;
};

}  // namespace muster::apiserver
