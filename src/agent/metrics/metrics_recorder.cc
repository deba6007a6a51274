#include "agent/metrics/metrics_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "agent/metrics/history_files.h"
#include "agent/names/name_index.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

constexpr Duration kStep = 2s;
constexpr Tier kFine{.step = 2, .slots = 300};
constexpr std::int64_t kCoarseStep = 15;
constexpr Duration kSaveEvery = 1min;
constexpr Duration kTidyEvery = 10min;
constexpr Duration kUsageWindow = 15s;
constexpr Duration kShortestNodeWindow = 1s;
constexpr float kUnknownValue = std::numeric_limits<float>::quiet_NaN();

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

HistoryLayout layout_for(const PodReading& reading, Duration history) {
  HistoryLayout layout;
  layout.columns = {"cpu", "memory", "disk-read", "disk-write", "network-receive", "network-transmit"};
  for (std::size_t i = 0; i < reading.gpus.size(); ++i) {
    layout.columns.push_back(fmt::format("gpu-{}-utilisation", i));
    layout.columns.push_back(fmt::format("gpu-{}-memory", i));
  }
  layout.tiers = {kFine, {kCoarseStep, std::max<std::int64_t>(1, history / std::chrono::seconds(kCoarseStep))}};
  return layout;
}

/// Counters can go back, when a process ends that nobody waits for.
float rate(std::int64_t before, std::int64_t now, Duration span) {
  return static_cast<float>(static_cast<double>(std::max<std::int64_t>(0, now - before)) / seconds(span));
}
float rate(std::optional<std::int64_t> before, std::optional<std::int64_t> now, Duration span) {
  return before && now ? rate(*before, *now, span) : kUnknownValue;
}
double cores(Duration before, Duration now, Duration span) {
  return std::max(0.0, seconds(now - before) / seconds(span));
}

Frame frame_of(const PodReading& before, const PodReading& now, Duration span, std::int64_t time, std::size_t columns) {
  Frame frame{.time = time, .values = {}};
  frame.values = {static_cast<float>(cores(before.cpu, now.cpu, span)),
                  static_cast<float>(now.memory),
                  rate(before.disk_read, now.disk_read, span),
                  rate(before.disk_written, now.disk_written, span),
                  rate(before.received, now.received, span),
                  rate(before.sent, now.sent, span)};
  for (const node::GpuUsage& gpu : now.gpus) {
    frame.values.push_back(static_cast<float>(gpu.utilisation));
    frame.values.push_back(static_cast<float>(gpu.memory));
  }
  frame.values.resize(columns, kUnknownValue);
  return frame;
}

}  // namespace

MetricsRecorder::MetricsRecorder(Loop& loop, const Paths& paths, std::string node_name, const MetricsOptions& options,
                                 Ports ports)
    : loop_(loop), paths_(paths), node_name_(std::move(node_name)), options_(options), ports_(std::move(ports)) {}

MetricsRecorder::~MetricsRecorder() {
  if (timer_ != 0) loop_.cancel(timer_);
  save_all();
}

Status MetricsRecorder::start() {
  TRY(make_directories(paths_.metrics_folder(), 0700));
  if (auto usage = ports_.machine()) node_before_ = NodeReading{loop_.mono(), *usage};
  return ok();
}

void MetricsRecorder::wake() {
  if (timer_ != 0 || is_measuring_) return;
  timer_ = loop_.after(Duration(0), [this] { measure(); });
}

// ---- measuring ----

void MetricsRecorder::measure() {
  timer_ = 0;
  auto pods = ports_.running();
  end_missing(pods);
  if (!tidied_at_ || loop_.mono() - *tidied_at_ >= kTidyEvery) remove_old();
  if (pods.empty()) return;
  is_measuring_ = true;
  const MonoTime began = loop_.mono();
  auto done = lifetime_.guard([this, pods, began](std::vector<PodReading> readings) {
    is_measuring_ = false;
    take(pods, std::move(readings));
    const Duration spent = loop_.mono() - began;
    timer_ = loop_.after(std::max(Duration(0), kStep - spent), [this] { measure(); });
  });
  ports_.in_background(
      [&loop = loop_, source = ports_.source, pods = std::move(pods), done = std::move(done)]() mutable {
        loop.post([done = std::move(done), readings = source->read(pods)]() mutable { done(std::move(readings)); });
      });
}

void MetricsRecorder::take(const std::vector<MeasuredPod>& pods, std::vector<PodReading> readings) {
  for (PodReading& reading : readings) {
    ports_.on_reading(reading);
    const auto pod = std::ranges::find(pods, reading.uid, &MeasuredPod::uid);
    if (const auto live = live_.find(reading.uid); live != live_.end()) {
      live->second.pod = *pod;
      add(live->second, std::move(reading));
    } else {
      begin(*pod, std::move(reading));
    }
  }
  if (loop_.mono() - saved_at_ >= kSaveEvery) save_all();
}

/// The first reading of a pod is what later ones are compared with.
void MetricsRecorder::begin(const MeasuredPod& pod, PodReading reading) {
  HistoryLayout layout = layout_for(reading, options_.history);
  const std::size_t columns = layout.columns.size();
  Live& live = live_
                   .emplace(pod.uid, Live{.pod = pod,
                                          .layout = std::move(layout),
                                          .fine = FrameRing(columns, static_cast<std::size_t>(kFine.slots)),
                                          .average = Average(kCoarseStep),
                                          .last = {},
                                          .last_at = loop_.mono()})
                   .first->second;
  restore(pod.uid, live);
  live.recent.push_back({loop_.mono(), reading.containers});
  live.last = std::move(reading);
}

/// An earlier engine may have measured the pod.
void MetricsRecorder::restore(const std::string& uid, Live& live) {
  auto stored = read_history(paths_.metrics(uid));
  if (!stored) return;
  const bool has_changed = stored->layout != live.layout;
  if (has_changed) *stored = with_layout(*stored, live.layout);
  for (const Frame& frame : stored->tiers.front()) {
    live.fine.add(frame);
    live.saved_until = frame.time;
  }
  if (!has_changed) return;
  std::vector<FilePatch> patches;
  for (std::size_t tier = 0; tier < stored->tiers.size(); ++tier) {
    std::ranges::move(encode_frames(live.layout, tier, stored->tiers[tier]), std::back_inserter(patches));
  }
  ports_.in_background([path = paths_.metrics(uid)] { ::unlink(path.c_str()); });
  write(uid, live.layout, std::move(patches));
}

void MetricsRecorder::add(Live& live, PodReading reading) {
  const MonoTime now = loop_.mono();
  if (now <= live.last_at) return;
  const std::int64_t wall = std::chrono::floor<std::chrono::seconds>(loop_.now()).time_since_epoch().count();
  const std::int64_t time = end_of_step(wall, kFine.step);
  const Frame frame = frame_of(live.last, reading, now - live.last_at, time, live.layout.columns.size());
  if (time < live.saved_until) live.saved_until = 0;  // the clock was set back
  live.fine.add(frame);
  if (auto complete = live.average.add(frame)) live.coarse.push_back(*std::move(complete));
  live.recent.push_back({now, reading.containers});
  while (live.recent.size() > 2 && now - live.recent[1].at >= kUsageWindow) live.recent.pop_front();
  live.last = std::move(reading);
  live.last_at = now;
}

void MetricsRecorder::end_missing(const std::vector<MeasuredPod>& pods) {
  for (auto it = live_.begin(); it != live_.end();) {
    if (std::ranges::find(pods, it->first, &MeasuredPod::uid) != pods.end()) {
      ++it;
      continue;
    }
    save(it->first, it->second);
    it = live_.erase(it);
  }
}

// ---- files ----

void MetricsRecorder::save_all() {
  saved_at_ = loop_.mono();
  for (auto& [uid, live] : live_) save(uid, live);
}

void MetricsRecorder::save(const std::string& uid, Live& live) {
  const std::vector<Frame> fine = live.fine.later_than(live.saved_until);
  if (fine.empty()) return;
  std::vector<Frame> coarse = std::exchange(live.coarse, {});
  if (auto rest = live.average.rest()) coarse.push_back(*std::move(rest));  // written again when it is complete
  std::vector<FilePatch> patches = encode_frames(live.layout, 0, fine);
  std::ranges::move(encode_frames(live.layout, 1, coarse), std::back_inserter(patches));
  live.saved_until = fine.back().time;
  write(uid, live.layout, std::move(patches));
}

void MetricsRecorder::write(const std::string& uid, const HistoryLayout& layout, std::vector<FilePatch> patches) {
  auto done = lifetime_.guard([this](const Status& written) {
    const std::string problem = written ? "" : written.error().message;
    if (!problem.empty() && last_problem_.empty()) LOG_WARN("metrics not saved", {"error", problem});
    last_problem_ = problem;
  });
  ports_.in_background([&loop = loop_, path = paths_.metrics(uid), layout, patches = std::move(patches),
                        done = std::move(done)]() mutable {
    loop.post([done = std::move(done), written = write_history(path, layout, patches)]() mutable { done(written); });
  });
}

void MetricsRecorder::remove_old() {
  tidied_at_ = loop_.mono();
  std::set<std::string> in_use;
  for (const auto& [uid, live] : live_) in_use.insert(uid);
  for (const MeasuredPod& pod : ports_.running()) in_use.insert(pod.uid);
  ports_.in_background([folder = paths_.metrics_folder(), in_use = std::move(in_use),
                        limits = HistoryLimits{options_.keep_ended, options_.max_bytes},
                        now = loop_.now()] { remove_expired_files(folder, in_use, limits, now); });
}

// ---- answers ----

Result<node::NodeUsage> MetricsRecorder::node_usage() {
  TRY_ASSIGN(const linux_os::MachineUsage usage, ports_.machine());
  const MonoTime now = loop_.mono();
  if (!node_before_) node_before_ = NodeReading{now, usage};
  const Duration window = now - node_before_->at;
  if (window < kShortestNodeWindow && node_usage_) return *node_usage_;
  node::NodeUsage answer{
      .node = node_name_, .time = loop_.now(), .window = window, .usage = {.cpu = 0, .memory = usage.memory}};
  if (window > Duration(0)) answer.usage.cpu = cores(node_before_->usage.cpu, usage.cpu, window);
  if (window >= kShortestNodeWindow) {
    node_before_ = NodeReading{now, usage};
    node_usage_ = answer;
  }
  return answer;
}

std::optional<node::PodUsage> MetricsRecorder::pod_usage(const std::string& uid) const {
  const auto found = live_.find(uid);
  if (found == live_.end() || found->second.recent.size() < 2) return std::nullopt;
  const Sample& before = found->second.recent.front();
  const Sample& now = found->second.recent.back();
  node::PodUsage usage{.time = loop_.now() - (loop_.mono() - now.at), .window = now.at - before.at, .containers = {}};
  for (const auto& [name, totals] : now.containers) {
    const auto earlier = before.containers.find(name);
    const Duration from = earlier == before.containers.end() ? Duration(0) : earlier->second.cpu;
    usage.containers[name] = {.cpu = cores(from, totals.cpu, usage.window), .memory = totals.memory};
  }
  return usage;
}

Result<node::History> MetricsRecorder::history(const node::HistoryRequest& request) const {
  std::optional<std::string> uid = request.pod_uid;
  if (uid->empty()) uid = previous_holder(paths_, request.ns, request.pod, "");
  if (request.is_past && !has_held(paths_, request.ns, request.pod, request.pod_uid)) uid.reset();
  if (!uid) {
    return Error{.reason = Reason::kNotFound,
                 .message = fmt::format("no pod {} in namespace {} was measured, or its history is no longer kept",
                                        quote(request.pod), quote(request.ns))};
  }
  StoredHistory stored;
  if (auto read = read_history(paths_.metrics(*uid))) {
    stored = *std::move(read);
  } else if (read.error().reason != Reason::kNotFound) {
    return std::move(read).error();
  }
  if (const auto live = live_.find(*uid); live != live_.end()) stored = with_live(std::move(stored), live->second);
  TRY_ASSIGN(node::History answer, answer_history(stored, request, loop_.now()));
  answer.pod_uid = *uid;
  return answer;
}

StoredHistory MetricsRecorder::with_live(StoredHistory stored, const Live& live) const {
  if (stored.layout != live.layout) stored = with_layout(stored, live.layout);
  std::vector<Frame>& coarse = stored.tiers.back();
  std::vector<Frame> newer = live.coarse;
  if (auto rest = live.average.rest()) newer.push_back(*std::move(rest));
  if (!newer.empty()) std::erase_if(coarse, [&](const Frame& frame) { return frame.time >= newer.front().time; });
  std::ranges::move(newer, std::back_inserter(coarse));
  stored.tiers.front() = live.fine.later_than(0);
  return stored;
}

std::vector<node::PodTotals> MetricsRecorder::totals() const {
  std::vector<node::PodTotals> all;
  for (const auto& [uid, live] : live_) {
    const PodReading& last = live.last;
    all.push_back({.ns = live.pod.ns,
                   .pod = live.pod.name,
                   .containers = last.containers,
                   .disk_read = last.disk_read,
                   .disk_written = last.disk_written,
                   .received = last.received,
                   .sent = last.sent,
                   .gpus = last.gpus});
  }
  return all;
}

}  // namespace muster::agent
