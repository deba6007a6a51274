#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* condition, const char* file, int line) {
  // This does not allocate or lock, because the heap or the log may be what broke.
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace muster
