#include "agent/shim_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>

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
namespace {

/// FNV-1a distinguishes versions; it need not be secure, because anyone who can write DIR can replace the file anyway.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : bytes) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001b3ULL;
  }
  return value;
}

}  // namespace

std::string_view shim_bytes() {
  return {muster_shim_begin, static_cast<std::size_t>(muster_shim_end - muster_shim_begin)};
}

Result<std::string> install_shim(const std::string& directory) {
  const std::string path = fmt::format("{}/shim-{:016x}", directory, hash(shim_bytes()));
  if (const auto there = read_file(path); there && *there == shim_bytes() && ::access(path.c_str(), X_OK) == 0)
    return path;
  TRY(write_file_atomically(path, shim_bytes(), 0700));
  return path;
}

Result<WaitingShim> start_shim(const std::string& program, const std::string& attempt_folder) {
  TRY_ASSIGN(auto pair, linux_os::make_socket_pair());
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_error("open \"/dev/null\"", errno);
  TRY_ASSIGN(auto child, linux_os::spawn({.program = program,
                                          .args = {"muster-shim", attempt_folder},
                                          .env = {},
                                          .fds = {{pair.theirs.get(), 0}, {null.get(), 1}, {null.get(), 2}}}));
  return WaitingShim{std::move(child), std::move(pair.ours)};
}

}  // namespace muster::agent
