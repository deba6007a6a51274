#include "agent/metrics/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "json/document.h"

namespace muster::agent {
namespace {

constexpr int kVersion = 1;
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kMaxPoints = 11'000;     // of an answer
constexpr std::int64_t kUsualPoints = 1'500;    // when the request leaves the step open
constexpr std::int64_t kMaxSlots = 10'000'000;  // of a file that is believed

std::size_t slot_bytes(const HistoryLayout& layout) {
  return sizeof(std::int64_t) + sizeof(float) * layout.columns.size();
}

std::int64_t offset_of(const HistoryLayout& layout, std::size_t tier, std::int64_t slot) {
  std::int64_t before = slot;
  for (std::size_t i = 0; i < tier; ++i) before += layout.tiers[i].slots;
  return static_cast<std::int64_t>(kHeaderBytes) + before * static_cast<std::int64_t>(slot_bytes(layout));
}

std::int64_t slot_of(const Tier& tier, std::int64_t time) {
  return end_of_step(time, tier.step) / tier.step % tier.slots;
}

Error damaged(std::string_view why) {
  return {.reason = Reason::kInternalError, .message = fmt::format("metrics file: {}", why)};
}

Result<HistoryLayout> decode_header(std::string_view bytes) {
  TRY_ASSIGN(const json::Document header, json::parse(bytes.substr(0, std::min(bytes.find('\n'), kHeaderBytes))));
  if (header.int_at("version") != kVersion) return damaged("of an unknown version");
  HistoryLayout layout;
  for (const json::Document& column : header.array_at("columns")) {
    if (!column.is_string()) return damaged("columns: not text");
    layout.columns.push_back(column.as_string());
  }
  for (const json::Document& tier : header.array_at("tiers")) {
    if (!tier.is_array() || tier.as_array().size() != 2) return damaged("tiers: not pairs");
    const json::Array& pair = tier.as_array();
    if (!pair[0].is_int() || !pair[1].is_int()) return damaged("tiers: not numbers");
    layout.tiers.push_back({.step = pair[0].as_int(), .slots = pair[1].as_int()});
    if (layout.tiers.back().step < 1 || layout.tiers.back().slots < 1 || layout.tiers.back().slots > kMaxSlots) {
      return damaged("tiers: out of range");
    }
  }
  return layout;
}

/// Frames of all tiers in order of time, each time once, from the finest tier that has it.
std::vector<Frame> merge_tiers(const std::vector<std::vector<Frame>>& tiers) {
  std::vector<Frame> merged;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();  // finer frames begin here
  for (const std::vector<Frame>& tier : tiers) {
    std::vector<Frame> older;
    std::ranges::copy_if(tier, std::back_inserter(older), [&](const Frame& frame) { return frame.time < until; });
    if (older.empty()) continue;
    until = older.front().time;
    older.insert(older.end(), std::make_move_iterator(merged.begin()), std::make_move_iterator(merged.end()));
    merged = std::move(older);
  }
  return merged;
}

std::int64_t seconds_of(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

/// The finest step whose tier reaches back to `from`, made longer until the answer has a usual size.
std::int64_t usual_step(const StoredHistory& history, std::int64_t from, std::int64_t to) {
  std::int64_t step = history.layout.tiers.back().step;
  for (std::size_t i = 0; i < history.tiers.size(); ++i) {
    if (history.tiers[i].empty() || history.tiers[i].front().time > from + history.layout.tiers[i].step) continue;
    step = history.layout.tiers[i].step;
    break;
  }
  const std::int64_t times = std::max<std::int64_t>(1, (to - from) / step / kUsualPoints + 1);
  return step * times;
}

Result<std::int64_t> step_for(const StoredHistory& history, const node::HistoryRequest& request, std::int64_t from,
                              std::int64_t to) {
  if (!request.step) return usual_step(history, from, to);
  const std::int64_t step = std::chrono::ceil<std::chrono::seconds>(*request.step).count();
  if (step >= 1 && (to - from) / step <= kMaxPoints) return step;
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("step: must be at least 1s and give at most {} points, got {}s for {} s of time; "
                                      "omit it or use a longer step",
                                      kMaxPoints, step, to - from)};
}

}  // namespace

std::int64_t HistoryLayout::bytes() const {
  return offset_of(*this, tiers.size(), 0);
}

// ---- in memory ----

void FrameRing::add(const Frame& frame) {
  const std::size_t last = times_.empty() ? 0 : (first_ + times_.size() - 1) % times_.size();
  if (!times_.empty() && frame.time == times_[last]) {  // measured twice within a step
    std::ranges::copy(frame.values, values_.begin() + static_cast<std::ptrdiff_t>(last * columns_));
    return;
  }
  if (!times_.empty() && frame.time < times_[last]) {  // the clock was set back
    times_.clear();
    values_.clear();
    first_ = 0;
  }
  if (times_.size() < slots_) {
    times_.push_back(frame.time);
    values_.insert(values_.end(), frame.values.begin(), frame.values.end());
    return;
  }
  times_[first_] = frame.time;
  std::ranges::copy(frame.values, values_.begin() + static_cast<std::ptrdiff_t>(first_ * columns_));
  first_ = (first_ + 1) % slots_;
}

std::vector<Frame> FrameRing::later_than(std::int64_t time) const {
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const std::size_t at = (first_ + i) % times_.size();
    if (times_[at] <= time) continue;
    const auto values = values_.begin() + static_cast<std::ptrdiff_t>(at * columns_);
    frames.push_back({times_[at], {values, values + static_cast<std::ptrdiff_t>(columns_)}});
  }
  return frames;
}

std::optional<Frame> Average::add(const Frame& frame) {
  const std::int64_t end = end_of_step(frame.time, step_);
  std::optional<Frame> complete;
  if (end != end_) {
    complete = rest();
    end_ = end;
    sums_.assign(frame.values.size(), 0);
    counts_.assign(frame.values.size(), 0);
  }
  for (std::size_t i = 0; i < frame.values.size(); ++i) {
    if (std::isnan(frame.values[i])) continue;
    sums_[i] += static_cast<double>(frame.values[i]);
    ++counts_[i];
  }
  return complete;
}

std::optional<Frame> Average::rest() const {
  if (end_ == 0) return std::nullopt;
  Frame frame{.time = end_, .values = std::vector<float>(sums_.size(), kUnknown)};
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (counts_[i] > 0) frame.values[i] = static_cast<float>(sums_[i] / counts_[i]);
  }
  return frame;
}

// ---- on disk ----

std::string encode_header(const HistoryLayout& layout) {
  json::Array columns;
  for (const std::string& column : layout.columns) columns.emplace_back(column);
  json::Array tiers;
  for (const Tier& tier : layout.tiers) tiers.emplace_back(json::Array{tier.step, tier.slots});
  std::string header = json::serialize(
      json::Object{{"version", kVersion}, {"columns", std::move(columns)}, {"tiers", std::move(tiers)}});
  CHECK(header.size() < kHeaderBytes);
  header.resize(kHeaderBytes - 1, ' ');
  return header + "\n";
}

std::vector<FilePatch> encode_frames(const HistoryLayout& layout, std::size_t tier, const std::vector<Frame>& frames) {
  std::vector<FilePatch> patches;
  for (const Frame& frame : frames) {
    std::string bytes(slot_bytes(layout), '\0');
    std::memcpy(bytes.data(), &frame.time, sizeof frame.time);
    std::memcpy(bytes.data() + sizeof frame.time, frame.values.data(), frame.values.size() * sizeof(float));
    const std::int64_t offset = offset_of(layout, tier, slot_of(layout.tiers[tier], frame.time));
    const bool continues =
        !patches.empty() && patches.back().offset + static_cast<std::int64_t>(patches.back().bytes.size()) == offset;
    if (continues) {
      patches.back().bytes += bytes;
    } else {
      patches.push_back({offset, std::move(bytes)});
    }
  }
  return patches;
}

Result<StoredHistory> decode_history(std::string_view bytes) {
  StoredHistory history;
  TRY_ASSIGN(history.layout, decode_header(bytes));
  const std::size_t size = slot_bytes(history.layout);
  for (std::size_t tier = 0; tier < history.layout.tiers.size(); ++tier) {
    std::vector<Frame>& frames = history.tiers.emplace_back();
    for (std::int64_t slot = 0; slot < history.layout.tiers[tier].slots; ++slot) {
      const auto offset = static_cast<std::size_t>(offset_of(history.layout, tier, slot));
      if (offset + size > bytes.size()) break;  // the end was never written
      Frame frame{.time = 0, .values = std::vector<float>(history.layout.columns.size())};
      std::memcpy(&frame.time, bytes.data() + offset, sizeof frame.time);
      if (frame.time <= 0 || slot_of(history.layout.tiers[tier], frame.time) != slot) continue;
      std::memcpy(frame.values.data(), bytes.data() + offset + sizeof frame.time, frame.values.size() * sizeof(float));
      frames.push_back(std::move(frame));
    }
    std::ranges::sort(frames, {}, &Frame::time);
    // While nothing was measured, older frames than the tier is meant to keep were not written over.
    const Tier& kept = history.layout.tiers[tier];
    std::erase_if(frames, [oldest = frames.empty() ? 0 : frames.back().time - kept.step * kept.slots](
                              const Frame& frame) { return frame.time <= oldest; });
  }
  return history;
}

StoredHistory with_layout(const StoredHistory& history, const HistoryLayout& layout) {
  StoredHistory result{.layout = layout, .tiers = std::vector<std::vector<Frame>>(layout.tiers.size())};
  std::vector<std::ptrdiff_t> from;
  for (const std::string& column : layout.columns) {
    const auto found = std::ranges::find(history.layout.columns, column);
    from.push_back(found == history.layout.columns.end() ? -1 : found - history.layout.columns.begin());
  }
  for (std::size_t tier = 0; tier < layout.tiers.size(); ++tier) {
    const auto same = std::ranges::find(history.layout.tiers, layout.tiers[tier].step, &Tier::step);
    if (same == history.layout.tiers.end()) continue;
    for (const Frame& frame : history.tiers[static_cast<std::size_t>(same - history.layout.tiers.begin())]) {
      Frame& copy = result.tiers[tier].emplace_back(Frame{.time = frame.time, .values = {}});
      for (const std::ptrdiff_t column : from) {
        copy.values.push_back(column < 0 ? kUnknown : frame.values[static_cast<std::size_t>(column)]);
      }
    }
  }
  return result;
}

// ---- answers ----

Result<node::History> answer_history(const StoredHistory& history, const node::HistoryRequest& request, Time now) {
  const std::vector<Frame> frames = merge_tiers(history.tiers);
  const std::int64_t to = seconds_of(request.to.value_or(now));
  const std::int64_t earliest = frames.empty() ? to : frames.front().time;
  const std::int64_t from = std::max(earliest, request.from ? seconds_of(*request.from) : earliest);
  node::History answer;
  for (const std::string& column : history.layout.columns) {
    answer.series.push_back({.name = column, .unit = unit_of(column), .values = {}});
  }
  if (history.layout.tiers.empty()) return answer;
  TRY_ASSIGN(const std::int64_t step, step_for(history, request, from, to));
  answer.step = std::chrono::seconds(step);
  const auto append = [&answer](const Frame& frame) {
    answer.times.emplace_back(std::chrono::seconds(frame.time));
    for (std::size_t i = 0; i < frame.values.size(); ++i) answer.series[i].values.push_back(frame.values[i]);
  };
  const std::int64_t present = seconds_of(now);
  Average average(step);
  for (const Frame& frame : frames) {
    if (frame.time < from || frame.time > std::min(to, present)) continue;
    if (const auto complete = average.add(frame)) append(*complete);
  }
  if (auto last = average.rest()) {
    last->time = std::min(last->time, present);  // its step may not be over yet
    append(*last);
  }
  return answer;
}

std::string unit_of(std::string_view column) {
  if (column == "cpu") return "cores";
  if (column.ends_with("utilisation")) return "percent";
  if (column.ends_with("memory")) return "bytes";
  return "bytes/second";
}

}  // namespace muster::agent
