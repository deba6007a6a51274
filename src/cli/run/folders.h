// Which folders of this machine a job of `muster run` sees besides its Python: the project, what --mount names, what
// the arguments name, and where the links of the project lead.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/run/job.h"
#include "cli/run/safe_folders.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

/// Takes a value of --mount: SRC[:DST][:ro], with SRC relative to the working directory.
std::variant<MountedFolder, Failure> parse_mount(const std::string& text, const RunFrom& from, const SafeFolders& safe);

/// Collects the folders of a job. Each one that is added by itself has a line that says so in `notes`.
class JobFolders {
 public:
  JobFolders(std::string project, std::string working_dir, const SafeFolders& safe);

  /// Without any check: parse_mount has made them.
  void add_mount(MountedFolder folder) { folders_.push_back(std::move(folder)); }
  /// A line for the user, once.
  void note(std::string text);
  /// Shows a folder read-only unless it is visible already. For programs, which need no line.
  void add_read_only(const std::string& folder);
  /// Takes what looks like a path in the arguments of the script: `/data/x`, `--data=/data/x`, `../data`.
  void add_arguments(const std::vector<std::string>& arguments);
  /// Takes the path of a file or folder, which may be created by the job. `who` names it in the line: "HF_HOME".
  void add_path(const std::string& path, const std::string& who);
  /// Follows the symbolic links at the top levels of the project that lead out of it.
  void add_links_of_project();

  bool shows(const std::string& path) const;
  const std::vector<MountedFolder>& folders() const { return folders_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add_existing(const std::string& path, const std::string& who);
  void add_missing(const std::string& path, const std::string& who);
  void add_folder(const std::string& folder, const std::string& path, const std::string& who);
  bool is_of_project(const std::string& path) const;
  std::string way_out(const std::string& path) const;

  std::string project_;
  std::string working_dir_;
  const SafeFolders& safe_;
  std::vector<MountedFolder> folders_;
  std::vector<std::string> notes_;
};

}  // namespace muster::cli
