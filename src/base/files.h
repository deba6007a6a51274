// Whole files: read, and write so that a crash leaves the old one or the new one.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

/// NotFound when there is none.
Result<std::string> read_file(const std::string& path);
/// Temporary file, fsync, rename, fsync of the folder.
Status write_file_atomically(const std::string& path, std::string_view content, mode_t mode);
/// Like mkdir -p.
Status make_directories(const std::string& path, mode_t mode);

}  // namespace muster
