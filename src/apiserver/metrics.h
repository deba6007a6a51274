// Metrics: what requests were answered, how and how fast, for GET /metrics in the text format of Prometheus. Names are
// those of a kube-apiserver where it has the same number. Loop thread only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "apiserver/context.h"
#include "apiserver/request.h"
#include "net/http.h"

namespace muster::apiserver {

/// What one request counts as. Only words from closed lists: a client must not be able to make up new ones.
struct RequestLabels {
  std::string verb;  // "LIST", "PATCH"; for what is no resource the method
  std::string group;
  std::string version;
  std::string resource;  // "" for what is no resource
  std::string subresource;
  auto operator<=>(const RequestLabels&) const = default;
};
RequestLabels labels_of(const ResourceRequest& request);
/// For requests that name no resource that is served.
RequestLabels labels_of_method(const std::string& method);

class Metrics : public std::enable_shared_from_this<Metrics> {
 public:
  // Seconds; those of a kube-apiserver begin at 5 ms, which is where this one ends.
  static constexpr std::array<double, 14> kBuckets = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                      0.025,  0.05,    0.1,    0.25,  1,      5,     30};

  void count(const RequestLabels& labels, int code);
  void took(const RequestLabels& labels, Duration duration);
  /// Counts the answer when it is given; `labels` may be set until then.
  std::shared_ptr<net::Exchange> measure(const Clock& clock, std::shared_ptr<net::Exchange> exchange,
                                         std::shared_ptr<RequestLabels> labels);

  /// Everything, with what store and watches say at this moment.
  std::string text(const Context& context, std::size_t open_watches) const;

 private:
  struct Histogram {
    std::array<std::uint64_t, kBuckets.size()> at_most = {};  // each counts all below it
    std::uint64_t count = 0;
    double sum = 0;
  };
  std::map<std::pair<RequestLabels, int>, std::uint64_t> requests_;
  std::map<RequestLabels, Histogram> durations_;
};

}  // namespace muster::apiserver
