// What a user asks `arena submit` for, read from the flags and checked. Pure but for reading the files of
// --config-file, which is passed in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arena/submit/submit_flags.h"
#include "base/result.h"
#include "cli/terminal/print_error.h"
#include "json/document.h"

namespace muster::arena {

/// A claim or a folder of the host, and where the containers see it.
struct Mounted {
  std::string source;
  std::string path;
};

struct ConfigFile {
  std::string path;  // in the container
  std::string content;
};

/// Where the code comes from.
struct CodeSync {
  enum class Mode { kGit, kRsync };
  Mode mode = Mode::kGit;
  std::string source;   // without credentials
  std::string folder;   // of the engine's machine that holds it; "": it is elsewhere
  std::string project;  // the folder below WORKING_DIR/code
};

using TextMap = std::map<std::string, std::string>;

struct JobRequest {
  const JobType* type = nullptr;
  SubmitFlags flags;
  std::string command;
  TextMap env;          // without credentials
  TextMap credentials;  // of the repository: they go into a Secret
  TextMap labels;
  TextMap annotations;
  TextMap selector;
  TextMap devices;
  json::Array tolerations;
  std::vector<Mounted> claims;
  std::vector<Mounted> host_dirs;
  std::vector<ConfigFile> config_files;
  std::optional<CodeSync> sync;

  /// Returns the image of a role: its own, or that of all.
  std::string image_of(const RoleFlags& role) const;
  /// Returns the number of GPUs of all replicas together.
  std::int64_t total_gpus() const;
  /// A TFJob of one worker and no parameter server runs as a chief alone, without TF_CONFIG.
  bool is_standalone_tf() const;
};

using ReadFile = std::function<Result<std::string>(const std::string& path)>;

/// `words` are the words of the command. `home` replaces a leading ~ in --config-file.
std::variant<JobRequest, cli::Failure> read_request(const JobType& type, const SubmitFlags& flags,
                                                    const std::vector<std::string>& words, const std::string& home,
                                                    const ReadFile& read_file);

}  // namespace muster::arena
