#include "mpi/rank_book.h"

#include <fmt/core.h>

namespace muster::mpi {

namespace {

std::string described(const ProcessEnd& how) {
  return how.signal != 0 ? fmt::format("was killed by signal {}", how.signal)
                         : fmt::format("exited with code {}", how.code);
}

}  // namespace

bool has_failed(const ProcessEnd& end) {
  return end.code != 0 || end.signal != 0;
}

int shell_code(const ProcessEnd& end) {
  return end.signal != 0 ? 128 + end.signal : end.code;
}

void RankBook::start(int rank, std::string host) {
  hosts_[rank] = std::move(host);
  std::erase_if(failures_, [rank](const Failure& failure) { return failure.rank == rank; });
}

void RankBook::end(int rank, ProcessEnd how, MonoTime when) {
  if (has_failed(how)) failures_.push_back({.rank = rank, .how = how, .when = when});
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
  if (!has_failed(launcher)) return {};
  return {.code = shell_code(launcher), .message = fmt::format("{} {}", name, described(launcher))};
}

}  // namespace muster::mpi
