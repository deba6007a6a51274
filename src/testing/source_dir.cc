#include "testing/source_dir.h"

namespace muster::testing {

// The only file whose compilation depends on where the clone lies: all others share a compiler cache between clones.
std::string source_dir() {
  return MUSTER_SOURCE_DIR;
}

}  // namespace muster::testing
