#include "store/snapshots.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "base/strings.h"
#include "store/disk.h"
#include "store/files.h"

namespace muster::store {
namespace {

constexpr std::string_view kSuffix = ".db";
// The delay after a failure, and after a start that finds the last snapshot overdue.
constexpr auto kSoon = std::chrono::minutes(1);
// One snapshot in progress and one waiting.
constexpr int kMostUnderWay = 2;
constexpr Duration kAskAgain = std::chrono::seconds(5);

Error engine_stops() {
  return Error{.reason = Reason::kServiceUnavailable, .message = "the engine is stopping"};
}

std::string folder_of(const std::string& store_directory) {
  return store_directory + "/snapshots";
}

/// Parses "20261116T010203Z-4711.db"; nullopt for any other name.
std::optional<Snapshot> parse_name(const std::string& name) {
  if (!name.ends_with(kSuffix) || name.size() < 21 || name[8] != 'T' || name[15] != 'Z' || name[16] != '-') {
    return std::nullopt;
  }
  const auto revision = parse_int(name.substr(17, name.size() - 17 - kSuffix.size()));
  const auto made =
      parse_rfc3339(fmt::format("{}-{}-{}T{}:{}:{}Z", name.substr(0, 4), name.substr(4, 2), name.substr(6, 2),
                                name.substr(9, 2), name.substr(11, 2), name.substr(13, 2)));
  if (!revision || *revision < 0 || !made) return std::nullopt;
  return Snapshot{.path = name, .made = *made, .revision = static_cast<Revision>(*revision)};
}

}  // namespace

std::string compact_time(Time time) {
  std::string text = format_rfc3339(time);  // 2026-11-16T01:02:03Z
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::vector<Snapshot> list_snapshots(const std::string& store_directory) {
  std::vector<Snapshot> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(store_directory), error)) {
    if (auto snapshot = parse_name(entry.path().filename().string())) {
      snapshot->path = entry.path().string();
      found.push_back(*std::move(snapshot));
    }
  }
  std::ranges::sort(found, {}, [](const Snapshot& s) { return std::pair(s.made, s.revision); });
  return found;
}

Snapshots::Snapshots(Loop& loop, Store& store, Options options)
    : loop_(loop), store_(store), options_(std::move(options)) {
  if (options_.every == Duration(0)) return;
  const auto found = list_snapshots(options_.store_directory);
  // A clock that was set back must not postpone the next snapshot.
  const Duration age =
      found.empty() ? options_.every : std::max(Duration(0), Duration(loop_.now() - found.back().made));
  schedule(age >= options_.every ? Duration(kSoon) : options_.every - age);
}

Snapshots::~Snapshots() {
  loop_.cancel(timer_);
}

void Snapshots::schedule(Duration after) {
  timer_ = loop_.after(after, [this] { take_when_due(); });
}

void Snapshots::take_when_due() {
  schedule(options_.every);
  const auto found = list_snapshots(options_.store_directory);
  if (!found.empty() && found.back().revision >= store_.revision()) return;  // nothing new
  take_now([](const Result<Snapshot>& taken) {
    if (!taken) LOG_WARN("no snapshot", {"error", taken.error().message});
  });
}

void Snapshots::take_now(Done done) {
  const std::string folder = folder_of(options_.store_directory);
  Status possible = make_directory(folder);
  if (under_way_ >= kMostUnderWay) {
    possible = Error{.reason = Reason::kTooManyRequests,
                     .message = "a snapshot is being taken and another one waits; try again when they are done",
                     .retry_after = kAskAgain};
  }
  if (!possible) {
    return loop_.post([done = std::move(done), why = possible.error()]() mutable { done(std::move(why)); });
  }
  ++under_way_;
  const std::string partial = fmt::format("{}/next-{}", folder, begun_++ % kMostUnderWay);
  store_.back_up(partial, [this, alive = lifetime_.watch(), partial,
                           done = std::move(done)](const Result<Revision>& copied) mutable {
    if (alive.over()) return done(engine_stops());
    --under_way_;
    if (!copied) return done(copied.error());
    done(finish(partial, *copied));
  });
}

Result<Snapshot> Snapshots::finish(const std::string& partial, Revision revision) {
  const std::string folder = folder_of(options_.store_directory);
  Snapshot snapshot{.path = "", .made = loop_.now(), .revision = revision};
  snapshot.path = fmt::format("{}/{}-{}{}", folder, compact_time(snapshot.made), revision, kSuffix);
  TRY(rename_file(Disk::real(), partial, snapshot.path));
  TRY(sync_directory(Disk::real(), folder));
  remove_old();
  return snapshot;
}

void Snapshots::remove_old() {
  const auto found = list_snapshots(options_.store_directory);
  for (std::size_t i = 0; i + options_.keep < found.size(); ++i) {
    if (const auto removed = remove_file(Disk::real(), found[i].path); !removed) {
      LOG_WARN("cannot remove an old snapshot", {"error", removed.error().message});
    }
  }
}

}  // namespace muster::store
