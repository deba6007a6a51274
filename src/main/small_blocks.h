#pragma once

namespace muster {

/// From now on this thread keeps small blocks of memory that it frees, for its next ones of that size. Objects come and
/// go as trees of hundreds of small nodes; the C library keeps seven of a size at hand, and looks for a place for every
/// further one. At most about 1 MiB is kept.
void keep_small_blocks();

}  // namespace muster
