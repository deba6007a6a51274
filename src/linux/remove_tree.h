// Removes folders of any depth and width: a pod may write anything, and all of it has to be removed.
#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"

namespace muster::linux_os {

/// Removes the file, or the folder with its contents. Symbolic links are not followed and mounts are not entered: a
/// mount point and the folders above it stay, and are reported as the error. An entry that cannot be removed does not
/// protect the others. Returns ok when `path` does not exist. Returns early, without an error, once `stop` is
/// requested.
Status remove_tree(const std::string& path, const std::stop_token& stop = {});
/// The same for the entry `name` of an open folder; errors call it `shown`. Conflict: somebody keeps writing into it.
Status remove_tree_at(int parent, const std::string& name, const std::string& shown, const std::stop_token& stop = {});

/// Removes the contents of the folder, but not the folder. Returns early, without an error, once `stop` is requested.
Status remove_contents(const std::string& folder, const std::stop_token& stop = {});

}  // namespace muster::linux_os
