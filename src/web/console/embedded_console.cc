#include "web/console/asset_pack.h"

// The build defines MUSTER_CONSOLE_FILE, the path of the packed console; the file is empty when it was not built.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".globl muster_console_begin\n"
    "muster_console_begin:\n"
    ".incbin \"" MUSTER_CONSOLE_FILE
    "\"\n"
    ".globl muster_console_end\n"
    "muster_console_end:\n"
    ".popsection\n");
extern "C" const char muster_console_begin[];
extern "C" const char muster_console_end[];

namespace muster::web {

std::string_view embedded_console() {
  return {muster_console_begin, static_cast<std::size_t>(muster_console_end - muster_console_begin)};
}

}  // namespace muster::web
