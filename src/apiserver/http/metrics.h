// Metrics: counts and durations of requests, for GET /metrics in the text format of Prometheus. Names are those of a
// kube-apiserver where it has the same metric. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "apiserver/http/request.h"
#include "base/prometheus.h"
#include "net/http.h"
#include "node/metrics_api.h"
#include "store/store.h"

namespace muster::apiserver {

/// The labels of one request. All values come from closed lists, so that clients cannot create new series.
struct RequestLabels {
  std::string verb;  // "LIST", "PATCH"; the method if the path is not a resource
  std::string group;
  std::string version;
  std::string resource;  // "" if the path is not a resource
  std::string subresource;
  auto operator<=>(const RequestLabels&) const = default;
};
RequestLabels labels_of(const ResourceRequest& request);
/// For requests that do not name a served resource.
RequestLabels labels_of_method(const std::string& method);

class Metrics : public std::enable_shared_from_this<Metrics> {
 public:
  // Seconds. A kube-apiserver's buckets begin at 5 ms, when most requests here have already finished.
  static constexpr prometheus::Histogram<14>::Buckets kBuckets = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                                  0.025,  0.05,    0.1,    0.25,  1,      5,     30};

  void count(const RequestLabels& labels, int code);
  void took(const RequestLabels& labels, Duration duration);
  /// Counts the response when it is sent; `labels` may be changed until then.
  std::shared_ptr<net::Exchange> measure(const Clock& clock, std::shared_ptr<net::Exchange> exchange,
                                         std::shared_ptr<RequestLabels> labels);

  /// The whole text, with the current numbers of store, watches and pods. Null `usage`: nothing measures pods.
  std::string text(const store::Store& store, std::size_t open_watches, const node::MetricsApi* usage) const;

 private:
  std::map<std::pair<RequestLabels, int>, std::uint64_t> requests_;
  std::map<RequestLabels, prometheus::Histogram<14>> durations_;
};

}  // namespace muster::apiserver
