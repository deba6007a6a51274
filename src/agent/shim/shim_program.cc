#include "agent/shim/shim_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>

#include "linux/files.h"
#include "shim/format.h"
#include "shim/program.h"

namespace muster::agent {

Result<std::string> install_shim(const std::string& directory) {
  const std::string_view bytes = shim::program_bytes();
  const std::string path = fmt::format("{}/shim-{:016x}", directory, muster_checksum(bytes.data(), bytes.size()));
  TRY(linux_os::write_program(path, bytes));
  return path;
}

Result<WaitingShim> start_shim(const std::string& program, const std::string& folder, std::string_view launch,
                               const std::vector<int>& locks) {
  TRY_ASSIGN(auto pair, linux_os::make_socket_pair());
  TRY_ASSIGN(const Fd description, linux_os::make_memory_file("muster-launch", launch));
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_error("open \"/dev/null\"", errno);
  linux_os::SpawnRequest shim{
      .program = program,
      .args = {"muster-shim", folder},
      .env = {},
      .fds = {{pair.theirs.get(), 0}, {null.get(), 1}, {null.get(), 2}, {description.get(), MUSTER_LAUNCH_FD}}};
  if (!locks.empty()) shim.args.push_back(std::to_string(locks.size()));
  int next = MUSTER_LAUNCH_FD;
  for (const int lock : locks) shim.fds.emplace_back(lock, ++next);
  TRY_ASSIGN(auto child, linux_os::spawn(shim));
  return WaitingShim{std::move(child), std::move(pair.ours)};
}

}  // namespace muster::agent
