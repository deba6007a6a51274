#include "base/embed.h"
#include "web/console/asset_pack.h"

// The build defines MUSTER_CONSOLE_FILE, the path of the packed console; the file is empty when it was not built.
MUSTER_EMBED(muster_console, MUSTER_CONSOLE_FILE);

namespace muster::web {

std::string_view embedded_console() {
  return {muster_console_begin, static_cast<std::size_t>(muster_console_end - muster_console_begin)};
}

}  // namespace muster::web
