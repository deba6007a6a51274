// Removing folders of any depth and width: a pod writes what it likes, and all of it has to go.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace muster::linux_os {

/// Removes the file, or the folder with all that is in it. Symbolic links are not followed and mounts are not entered:
/// a mount point stays, with the folders above it, and is the error. What cannot be removed does not keep the rest.
/// Ok when there is nothing at `path`.
Status remove_tree(const std::string& path);

/// The same for what is in the folder, which itself stays. Returns early, without an error, once `stop` is requested.
Status remove_contents(const std::string& folder, const std::stop_token& stop = {});

}  // namespace muster::linux_os
