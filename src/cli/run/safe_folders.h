// Which folders of this machine a job must never see as a whole, and which need no mount because a pod has its own.
#pragma once

#include <string>
#include <vector>

#include "cli/run/run_from.h"

namespace muster::cli {

/// Returns the path behind the symbolic links, as far as it exists.
std::string real_path(const std::string& path);

class SafeFolders {
 public:
  /// `passwd` is the text of /etc/passwd, which names the homes of others.
  SafeFolders(const RunFrom& from, const std::string& passwd);

  /// Returns why no job sees this folder: "it is your home folder"; "" for a folder that may be mounted. Looks at the
  /// path as it is written and at the one behind its symbolic links.
  std::string why_never(const std::string& folder) const;
  /// True for what every pod sees or has as its own: /usr, /proc, /tmp as a whole.
  static bool is_in_every_pod(const std::string& path);

 private:
  std::string why_never_exactly(const std::string& folder) const;
  std::string why_not_of_engine(const std::string& folder) const;

  std::string home_;
  std::string data_dir_;
  std::vector<std::string> homes_;
  std::vector<std::string> secrets_;  // folders with credentials that exist
};

/// The folder that the job sees and may change: the root of the git repository of the working directory if that may be
/// mounted, else the working directory.
std::string project_of(const std::string& working_dir, const SafeFolders& safe);

}  // namespace muster::cli
