// The path of the repository, for tests that read or update committed files.
#pragma once

#include <string>

namespace muster::testing {

/// Returns the path without a trailing slash.
std::string source_dir();

}  // namespace muster::testing
