// Where the repository lies, for tests that read or update committed files.
#pragma once

#include <string>

namespace muster::testing {

/// Without a slash at the end.
std::string source_dir();

}  // namespace muster::testing
