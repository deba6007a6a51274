// The history of what a pod used: frames in tiers, fine ones for a short time and coarse ones for a long time. Pure.
//
// A file holds a header and, for each tier, a ring of slots whose place follows from their time, so that it never grows
// beyond its layout, needs no clean-up, and is updated by writing a few slots. What was never written is a hole.
//
//   {"version":1,"columns":["cpu",…],"tiers":[[2,300],[15,5760]]}   one line of JSON, padded to kHeaderBytes
//   tiers: slots of TIME (8 bytes, little endian, seconds since 1970; 0 when empty) and one float per column
//
// A slot whose time does not belong in its place was torn by a crash and is ignored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "node/metrics_api.h"

namespace muster::agent {

struct Tier {
  std::int64_t step = 0;   // seconds
  std::int64_t slots = 0;  // how many steps are kept
  bool operator==(const Tier&) const = default;
};
struct HistoryLayout {
  std::vector<std::string> columns;
  std::vector<Tier> tiers;  // finest first
  bool operator==(const HistoryLayout&) const = default;

  std::int64_t bytes() const;
};

/// The averages over the step that ends at `time`. NaN: not measured.
struct Frame {
  std::int64_t time = 0;  // seconds since 1970
  std::vector<float> values;
};

/// The newest frames of a tier, in order.
class FrameRing {
 public:
  FrameRing(std::size_t columns, std::size_t slots) : columns_(columns), slots_(slots) {}

  /// A frame that is not later than the last one means that the clock was set back: what is here is dropped.
  void add(const Frame& frame);
  std::vector<Frame> later_than(std::int64_t time) const;

 private:
  std::size_t columns_;
  std::size_t slots_;
  std::size_t first_ = 0;            // the place of the oldest one
  std::vector<std::int64_t> times_;  // grows to `slots_`, then goes round
  std::vector<float> values_;
};

/// Averages frames over longer steps.
class Average {
 public:
  explicit Average(std::int64_t step) : step_(step) {}
  /// Returns the frame of the step before when this one begins a new step.
  std::optional<Frame> add(const Frame& frame);
  /// What was added since the last step was complete.
  std::optional<Frame> rest() const;

 private:
  std::int64_t step_;
  std::int64_t end_ = 0;  // of the step that is being filled
  std::vector<double> sums_;
  std::vector<int> counts_;
};

/// The end of the step that a time belongs to.
constexpr std::int64_t end_of_step(std::int64_t time, std::int64_t step) {
  return (time + step - 1) / step * step;
}

constexpr std::size_t kHeaderBytes = 2048;
std::string encode_header(const HistoryLayout& layout);

/// Bytes to write at an offset of the file.
struct FilePatch {
  std::int64_t offset = 0;
  std::string bytes;
};
std::vector<FilePatch> encode_frames(const HistoryLayout& layout, std::size_t tier, const std::vector<Frame>& frames);

struct StoredHistory {
  HistoryLayout layout;
  std::vector<std::vector<Frame>> tiers;  // in order of time
};
Result<StoredHistory> decode_history(std::string_view bytes);
/// The same frames with the columns of another layout; columns that it had not are NaN.
StoredHistory with_layout(const StoredHistory& history, const HistoryLayout& layout);

/// Answers a request from all frames that are known. Coarse frames are used for the time before the first finer one.
/// No point is later than `now`: that of a step that is not over yet has this time.
Result<node::History> answer_history(const StoredHistory& history, const node::HistoryRequest& request, Time now);

std::string unit_of(std::string_view column);

}  // namespace muster::agent
