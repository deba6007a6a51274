#include "shim/program.h"

#include "base/embed.h"

// The build defines MUSTER_SHIM_FILE, the path of the compiled shim.
MUSTER_EMBED(muster_shim, MUSTER_SHIM_FILE);

namespace muster::shim {

std::string_view program_bytes() {
  return {muster_shim_begin, static_cast<std::size_t>(muster_shim_end - muster_shim_begin)};
}

}  // namespace muster::shim
