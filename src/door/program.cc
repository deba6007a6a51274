#include "door/program.h"

#include "base/embed.h"

// The build defines MUSTER_DOOR_FILE, the path of the compiled door.
MUSTER_EMBED(muster_door, MUSTER_DOOR_FILE);

namespace muster::door {

std::string_view program_bytes() {
  return {muster_door_begin, static_cast<std::size_t>(muster_door_end - muster_door_begin)};
}

}  // namespace muster::door
