// VolumeFiles: the files of one claim, through the engine's API, as calls that wait for their response. Only the engine
// has this API; a Kubernetes cluster answers NotFound.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/connect/session.h"

namespace muster::cli {

struct VolumeFile {
  std::string name;
  std::string type;  // file, folder, link, other
  std::int64_t size = 0;
  std::string modified;
  unsigned mode = 0;

  bool is_folder() const { return type == "folder"; }
};

class VolumeFiles {
 public:
  VolumeFiles(Session& session, std::string ns, std::string claim)
      : session_(session), ns_(std::move(ns)), claim_(std::move(claim)) {}

  const std::string& claim() const { return claim_; }
  Result<VolumeFile> stat(const std::string& path);
  /// All entries, sorted by name.
  Result<std::vector<VolumeFile>> list(const std::string& path);
  Status make_folder(const std::string& path);
  enum class Depth { kOne, kAll };
  Status remove(const std::string& path, Depth depth);

  /// The caller learns how many bytes have gone, for a progress line.
  using OnProgress = std::function<void(std::int64_t)>;
  /// Writes the file to the descriptor.
  Status download(const std::string& path, int to, const OnProgress& on_progress);
  /// Reads the descriptor to its end. Without a mode the server chooses the permissions.
  Status upload(const std::string& path, int from, std::optional<unsigned> mode, const OnProgress& on_progress);

 private:
  std::string target(const std::string& path, std::string_view query = {}) const;
  Result<std::string> call(const std::string& method, const std::string& target);

  Session& session_;
  std::string ns_;
  std::string claim_;
};

}  // namespace muster::cli
