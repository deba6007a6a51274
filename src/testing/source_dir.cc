#include "testing/source_dir.h"

namespace muster::testing {

// The only file whose compilation depends on the clone's path: clones share a compiler cache for all others.
std::string source_dir() {
  return MUSTER_SOURCE_DIR;
}

}  // namespace muster::testing
