#include "shim/program.h"

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

namespace muster::shim {

std::string_view program_bytes() {
  return {muster_shim_begin, static_cast<std::size_t>(muster_shim_end - muster_shim_begin)};
}

}  // namespace muster::shim
