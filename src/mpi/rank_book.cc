#include "mpi/rank_book.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::mpi {

namespace {

std::string described(const ProcessEnd& how) {
  const std::string end = how.signal != 0 ? fmt::format("was killed by signal {}", how.signal)
                                          : fmt::format("exited with code {}", how.code);
  return how.why.empty() ? end : fmt::format("{}: {}", end, how.why);
}

}  // namespace

bool has_failed(const ProcessEnd& end) {
  return end.code != 0 || end.signal != 0;
}

int shell_code(const ProcessEnd& end) {
  return end.signal != 0 ? 128 + end.signal : end.code;
}

void RankBook::start(int rank, int ranks, std::string host) {
  ranks_ = std::max(ranks_, ranks);
  running_.insert(rank);
  hosts_[rank] = std::move(host);
  std::erase_if(failures_, [rank](const Failure& failure) { return failure.rank == rank; });
}

void RankBook::end(int rank, ProcessEnd how, MonoTime when) {
  running_.erase(rank);
  if (has_failed(how)) failures_.push_back({.rank = rank, .how = std::move(how), .when = when});
}

std::optional<int> RankBook::first_unknown() const {
  if (!running_.empty()) return *running_.begin();
  for (int rank = 0; rank < ranks_; ++rank) {
    if (!hosts_.contains(rank)) return rank;
  }
  return std::nullopt;
}

std::optional<MonoTime> RankBook::gives_up_at() const {
  if (failures_.empty()) return std::nullopt;
  return failures_.front().when + kPatience;
}

Verdict RankBook::verdict(const std::string& name, ProcessEnd launcher) const {
  if (!failures_.empty()) {
    const Failure& first = failures_.front();
    return {.code = shell_code(first.how),
            .message = fmt::format("rank {} (on {}) {}", first.rank, hosts_.at(first.rank), described(first.how))};
  }
  if (has_failed(launcher)) {
    return {.code = shell_code(launcher), .message = fmt::format("{} {}", name, described(launcher))};
  }
  if (const auto rank = first_unknown()) {
    const auto host = hosts_.find(*rank);
    return {.code = 1,
            .message = fmt::format("rank {}{} did not report how it ended, so the job counts as failed", *rank,
                                   host == hosts_.end() ? "" : fmt::format(" (on {})", host->second))};
  }
  if (hosts_.empty() && has_lost_sight_) {
    return {.code = 1,
            .message =
                "strangers flooded the port where the launcher collects the ends of ranks, and no rank "
                "reported how it ended, so the job counts as failed"};
  }
  return {};
}

}  // namespace muster::mpi
