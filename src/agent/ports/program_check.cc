#include "agent/ports/program_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "linux/process_usage.h"

namespace muster::agent {

Status check_program(const linux_os::TcpEnds& ends, pid_t init) {
  TRY_ASSIGN(const std::vector<std::uint64_t> receivers, linux_os::receivers_of(ends));
  std::vector<std::uint64_t> own;
  for (const pid_t process : linux_os::process_tree(init))
    std::ranges::move(linux_os::socket_inodes(process), std::back_inserter(own));
  const bool are_own = std::ranges::all_of(
      receivers, [&own](std::uint64_t inode) { return std::ranges::find(own, inode) != own.end(); });
  if (are_own) return ok();
  return Error{
      .reason = Reason::kConflict,
      .message = fmt::format("port {} is taken by another process, which is sent nothing; end that process, or "
                             "give pods networks of their own (`muster doctor` tells what they need)",
                             ends.peer_port)};
}

}  // namespace muster::agent
