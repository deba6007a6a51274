// Reads and writes whole files. A crash during a write leaves either the old file or the new one.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace muster {

/// Returns NotFound when the file does not exist.
Result<std::string> read_file(const std::string& path);
/// Writes a temporary file, syncs it, renames it and syncs the directory.
Status write_file_atomically(const std::string& path, std::string_view content, mode_t mode);
/// Works like `mkdir -p`.
Status make_directories(const std::string& path, mode_t mode);

}  // namespace muster
