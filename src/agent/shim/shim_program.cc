#include "agent/shim/shim_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>

#include "agent/shim/format.h"
#include "base/files.h"
#include "linux/files.h"

// The build defines MUSTER_SHIM_FILE, the path of the compiled shim.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".globl muster_shim_begin\n"
    "muster_shim_begin:\n"
    ".incbin \"" MUSTER_SHIM_FILE
    "\"\n"
    ".globl muster_shim_end\n"
    "muster_shim_end:\n"
    ".popsection\n");
extern "C" const char muster_shim_begin[];
extern "C" const char muster_shim_end[];

namespace muster::agent {
std::string_view shim_bytes() {
  return {muster_shim_begin, static_cast<std::size_t>(muster_shim_end - muster_shim_begin)};
}

Result<std::string> install_shim(const std::string& directory) {
  const std::string path =
      fmt::format("{}/shim-{:016x}", directory, muster_checksum(muster_shim_begin, shim_bytes().size()));
  if (const auto there = read_file(path); there && *there == shim_bytes() && ::access(path.c_str(), X_OK) == 0)
    return path;
  TRY(write_file_atomically(path, shim_bytes(), 0700));
  return path;
}

Result<WaitingShim> start_shim(const std::string& program, const std::string& folder, std::string_view launch) {
  TRY_ASSIGN(auto pair, linux_os::make_socket_pair());
  TRY_ASSIGN(const Fd description, linux_os::make_memory_file("muster-launch", launch));
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_error("open \"/dev/null\"", errno);
  TRY_ASSIGN(
      auto child,
      linux_os::spawn(
          {.program = program,
           .args = {"muster-shim", folder},
           .env = {},
           .fds = {{pair.theirs.get(), 0}, {null.get(), 1}, {null.get(), 2}, {description.get(), MUSTER_LAUNCH_FD}}}));
  return WaitingShim{std::move(child), std::move(pair.ours)};
}

}  // namespace muster::agent
