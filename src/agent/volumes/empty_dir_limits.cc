#include "agent/volumes/empty_dir_limits.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/disk/tree_size.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr Duration kBetweenRounds = std::chrono::seconds(2);
constexpr int kPauseFactor = 20;  // a round of a second is followed by a pause of 20

std::optional<Quantity> size_limit(const Document& empty_dir) {
  const Document* limit = empty_dir.find("sizeLimit");
  if (limit == nullptr || empty_dir.string_at("medium") == "Memory") return std::nullopt;
  return limit->is_int() ? Quantity::of(limit->as_int())
                         : Quantity::parse(limit->is_string() ? limit->as_string() : "");
}

}  // namespace

std::vector<LimitedVolume> limited_volumes(const Document& pod, const Paths& paths) {
  std::vector<LimitedVolume> out;
  if (pod.string_at("status", "phase") != "Running") return out;
  const std::string& uid = pod.string_at("metadata", "uid");
  for (const Document& volume : pod.array_at("spec", "volumes")) {
    const Document* source = volume.find("emptyDir");
    const auto limit = source == nullptr ? std::nullopt : size_limit(*source);
    if (!limit || limit->is_zero()) continue;
    const std::string& name = volume.string_at("name");
    out.push_back({.uid = uid,
                   .name = name,
                   .path = paths.pod_volumes(uid) + "/" + name,
                   .limit = limit->text(Quantity::Form::kBinary),
                   .most_bytes = limit->value()});
  }
  return out;
}

std::string eviction_message(const LimitedVolume& volume, std::int64_t bytes) {
  return fmt::format("Usage of EmptyDir volume {} exceeds the limit {}: it holds {} bytes", quote(volume.name),
                     quote(volume.limit), bytes);
}

EmptyDirLimits::EmptyDirLimits(Loop& loop, DiskThreads& disk, List list, OnExceeded on_exceeded)
    : loop_(loop), disk_(disk), list_(std::move(list)), on_exceeded_(std::move(on_exceeded)) {}

EmptyDirLimits::~EmptyDirLimits() {
  loop_.cancel(timer_);
}

void EmptyDirLimits::start() {
  timer_ = loop_.after(kBetweenRounds, [this] { begin_round(); });
}

std::string EmptyDirLimits::eviction_of(const std::string& uid) const {
  const auto found = evictions_.find(uid);
  return found == evictions_.end() ? "" : found->second;
}

void EmptyDirLimits::begin_round() {
  std::vector<LimitedVolume> volumes = list_();
  std::erase_if(volumes, [this](const LimitedVolume& volume) { return evictions_.contains(volume.uid); });
  if (volumes.empty()) return start();
  disk_.run(
      [volumes = std::move(volumes)](const std::stop_token& stop) {
        std::vector<Exceeded> found;
        for (const LimitedVolume& volume : volumes) {
          const std::int64_t bytes = measure_tree(volume.path, stop).bytes;
          if (bytes > volume.most_bytes) found.push_back({volume, bytes});
        }
        return found;
      },
      [this, began = loop_.mono()](const std::vector<Exceeded>& found) { end_round(found, began); });
}

void EmptyDirLimits::end_round(const std::vector<Exceeded>& found, MonoTime began) {
  for (const Exceeded& exceeded : found) {
    if (evictions_.emplace(exceeded.volume.uid, eviction_message(exceeded.volume, exceeded.bytes)).second)
      on_exceeded_(exceeded.volume.uid);
  }
  const Duration pause = std::max<Duration>(kBetweenRounds, kPauseFactor * (loop_.mono() - began));
  timer_ = loop_.after(pause, [this] { begin_round(); });
}

}  // namespace muster::agent
