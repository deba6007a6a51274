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

std::optional<Quantity> amount_of(const Document* limit) {
  if (limit == nullptr) return std::nullopt;
  return limit->is_int() ? Quantity::of(limit->as_int())
                         : Quantity::parse(limit->is_string() ? limit->as_string() : "");
}

bool is_on_disk(const Document& volume) {
  const Document* source = volume.find("emptyDir");
  return source != nullptr && source->string_at("medium") != "Memory";
}

/// The limits of containers, and their sum for the whole pod, as a kubelet has it.
void add_limits_of_containers(const Document& pod, const std::string& launch, const Paths& paths,
                              std::vector<LimitedVolume>& out) {
  const std::string& uid = pod.string_at("metadata", "uid");
  LimitedVolume all{.kind = LimitedVolume::Kind::kPod, .uid = uid};
  std::optional<Quantity> total;
  for (const Document& container : pod.array_at("spec", "containers")) {
    const std::string& name = container.string_at("name");
    const std::vector<std::string> folders{launch + "/scratch/" + name, paths.logs(uid) + "/" + name};
    all.paths.insert(all.paths.end(), folders.begin(), folders.end());
    const auto limit = amount_of(container.at("resources", "limits", "ephemeral-storage"));
    if (!limit) continue;
    total = total.value_or(Quantity()) + *limit;
    out.push_back({.kind = LimitedVolume::Kind::kContainer,
                   .uid = uid,
                   .name = name,
                   .paths = folders,
                   .limit = limit->text(Quantity::Form::kBinary),
                   .most_bytes = limit->value()});
  }
  if (!total) return;
  for (const Document& volume : pod.array_at("spec", "volumes")) {
    if (is_on_disk(volume)) all.paths.push_back(paths.pod_volumes(uid) + "/" + volume.string_at("name"));
  }
  all.limit = total->text(Quantity::Form::kBinary);
  all.most_bytes = total->value();
  out.push_back(std::move(all));
}

}  // namespace

std::vector<LimitedVolume> limited_volumes(const Document& pod, const std::string& launch, const Paths& paths) {
  std::vector<LimitedVolume> out;
  if (pod.string_at("status", "phase") != "Running") return out;
  const std::string& uid = pod.string_at("metadata", "uid");
  for (const Document& volume : pod.array_at("spec", "volumes")) {
    const auto limit = is_on_disk(volume) ? amount_of(volume.at("emptyDir", "sizeLimit")) : std::nullopt;
    if (!limit || limit->is_zero()) continue;
    const std::string& name = volume.string_at("name");
    out.push_back({.uid = uid,
                   .name = name,
                   .paths = {paths.pod_volumes(uid) + "/" + name},
                   .limit = limit->text(Quantity::Form::kBinary),
                   .most_bytes = limit->value()});
  }
  add_limits_of_containers(pod, launch, paths, out);
  return out;
}

std::string eviction_message(const LimitedVolume& volume, std::int64_t bytes) {
  if (volume.kind == LimitedVolume::Kind::kContainer) {
    return fmt::format("Container {} exceeded its local ephemeral storage limit {}: it holds {} bytes", volume.name,
                       quote(volume.limit), bytes);
  }
  if (volume.kind == LimitedVolume::Kind::kPod) {
    return fmt::format("Pod ephemeral local storage usage exceeds the total limit of containers {}: it holds {} bytes",
                       volume.limit, bytes);
  }
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
          std::int64_t bytes = 0;
          for (const std::string& path : volume.paths) bytes += measure_tree(path, stop).bytes;
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
