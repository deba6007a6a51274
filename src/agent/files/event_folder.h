// The runs below a folder of a claim: every folder that has event files is one, as TensorBoard sees it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "agent/files/claim_folder.h"
#include "node/progress_source.h"
#include "node/scalars.h"

namespace muster::agent {

/// Reads all files, or those of the owner. Blocks, so it belongs on the disk threads. A folder that does not exist yet
/// has no runs.
Result<node::ScalarRuns> read_event_folder(const ClaimFolder& claim, const std::string& path,
                                           const std::optional<node::EventOwner>& owner, const std::stop_token& stop);
/// Returns whether there is an event file in the folder or below it. Also blocks.
Result<bool> has_event_files(const ClaimFolder& claim, const std::string& path, const std::stop_token& stop);

/// Finds the folders below `path` with event files of the owner, by a search of limited depth and size, which passes
/// over hidden folders and those of environments. Also blocks. A folder that does not exist has none.
Result<node::EventFolders> find_recent_events(const ClaimFolder& claim, const std::string& path,
                                              const node::EventSearch& search, const std::stop_token& stop);

}  // namespace muster::agent
