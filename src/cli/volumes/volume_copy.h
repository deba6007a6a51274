// Copies files and folders between this machine and a claim, with a progress line on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "cli/volumes/volume_files.h"

namespace muster::cli {

/// "1.5GiB", "12KiB", "7B".
std::string human_bytes(std::int64_t bytes);

class VolumeCopy {
 public:
  VolumeCopy(Session& session, VolumeFiles& files) : session_(session), files_(files) {}

  /// `-` is stdin or stdout. A destination that is a folder, or ends with a slash, receives the source under its own
  /// name. Folders are copied with all they contain, except for links and devices, which are reported and skipped.
  Status upload(const std::string& from, const std::string& to);
  Status download(const std::string& from, const std::string& to);

 private:
  Status upload_folder(const std::string& from, const std::string& to);
  Status upload_file(const std::string& from, const std::string& to);
  Status download_folder(const std::string& from, const std::string& to);
  Status download_file(const VolumeFile& file, const std::string& from, const std::string& to);
  void skip(const std::string& path, std::string_view why);
  /// Shows how far the copy of one file is; `size` is 0 when it is not known.
  VolumeFiles::OnProgress show_progress(const std::string& name, std::int64_t size);
  void clear_progress();

  Session& session_;
  VolumeFiles& files_;
  std::optional<MonoTime> shown_at_;
  bool line_is_shown_ = false;
};

}  // namespace muster::cli
