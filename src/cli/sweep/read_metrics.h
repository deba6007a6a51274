// Reads the metric of runs from the server: a few at a time, without waiting for each other.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/lifetime.h"
#include "cli/connect/session.h"
#include "cli/objects/selection.h"
#include "cli/sweep/metric.h"
#include "cli/sweep/sweep_table.h"

namespace muster::cli {

class MetricReader {
 public:
  MetricReader(Session& session, SweepMetric metric) : session_(session), metric_(std::move(metric)) {}

  /// Reads the job's metric soon; a job is read once at a time.
  void want(const Selected& job);
  /// Returns what was read since the last call, by the name of the job. A job whose program logs nothing has none.
  std::map<std::string, MetricValue> take() { return std::exchange(read_, {}); }
  /// Returns lines for stderr: what of the curves could not be read, as it was at the last look.
  std::string problems() const;
  bool has_news() const { return !read_.empty(); }
  bool is_idle() const { return waiting_.empty() && calls_.empty(); }

 private:
  struct Call {
    std::unique_ptr<net::Call> call;
    std::string body;
  };
  void start_some();
  void start(const Selected& job);

  Session& session_;
  SweepMetric metric_;
  std::deque<Selected> waiting_;
  std::set<std::string> wanted_;
  std::map<std::string, std::shared_ptr<Call>> calls_;  // in progress, by the name of the job
  std::map<std::string, MetricValue> read_;
  std::map<std::string, std::string> problems_;  // by the name of the job
  Lifetime lifetime_;
};

}  // namespace muster::cli
