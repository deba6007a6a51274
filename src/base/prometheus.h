// The text format of Prometheus, for GET /metrics.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace muster::prometheus {

/// Returns the text between quotes as a label's value needs it.
std::string label_value(std::string_view text);
/// Begins a metric; the lines of its series follow.
void append_head(std::string& out, std::string_view name, std::string_view type, std::string_view help);
/// Adds a metric without labels.
void append_one(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                std::uint64_t value);
/// Adds memory and processor time of this process. What /proc does not tell is left out.
void append_process(std::string& out);

/// The lines of a histogram; `labels` is `a="b",c="d"`, or "".
void append_bucket(std::string& out, std::string_view name, const std::string& labels, double upper,
                   std::uint64_t count);
void append_end(std::string& out, std::string_view name, const std::string& labels, double sum, std::uint64_t count);

/// Counts durations in buckets, by their upper ends in seconds.
template <std::size_t kCount>
class Histogram {
 public:
  using Buckets = std::array<double, kCount>;

  void add(Duration duration, const Buckets& buckets) {
    const double seconds = std::chrono::duration<double>(duration).count();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (seconds <= buckets[i]) ++at_most_[i];
    }
    ++count_;
    sum_ += seconds;
  }
  void append(std::string& out, std::string_view name, const std::string& labels, const Buckets& buckets) const {
    for (std::size_t i = 0; i < kCount; ++i) append_bucket(out, name, labels, buckets[i], at_most_[i]);
    append_end(out, name, labels, sum_, count_);
  }

 private:
  std::array<std::uint64_t, kCount> at_most_ = {};  // each bucket includes all smaller ones
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace muster::prometheus
