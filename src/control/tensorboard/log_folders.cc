#include "control/tensorboard/log_folders.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace muster::control {

namespace {

constexpr std::string_view kClaimScheme = "t9k://pvc/";

/// Returns nullopt for a path that leads out of the claim.
std::optional<std::string> clean_path(std::string_view path) {
  std::vector<std::string> steps;
  for (std::string& step : split(path, '/')) {
    if (step == "..") return std::nullopt;
    if (!step.empty() && step != ".") steps.push_back(std::move(step));
  }
  return join(steps, "/");
}

void add_folder(const std::string& claim, std::string_view path, const std::string& written, LogSources& to) {
  auto clean = clean_path(path);
  if (!clean || claim.empty()) {
    to.unsupported.push_back(written);
    return;
  }
  LogFolder folder{.claim = claim, .path = *std::move(clean)};
  if (std::ranges::find(to.folders, folder) == to.folders.end()) to.folders.push_back(std::move(folder));
}

void add_fileset(const std::string& fileset, LogSources& to) {
  if (!fileset.starts_with(kClaimScheme)) {
    to.unsupported.push_back(fileset);
    return;
  }
  const std::string_view rest = std::string_view(fileset).substr(kClaimScheme.size());
  const auto slash = rest.find('/');
  add_folder(std::string(rest.substr(0, slash)), slash == std::string_view::npos ? "" : rest.substr(slash + 1), fileset,
             to);
}

}  // namespace

LogSources log_sources(const api::TensorBoardSpec& spec) {
  LogSources sources;
  for (const std::string& fileset : spec.training_log_filesets) add_fileset(fileset, sources);
  if (!spec.log_dir) return sources;
  for (const api::TensorBoardPvcSource& claim : spec.log_dir->pvc) {
    if (claim.sub_path.empty()) add_folder(claim.name, "", claim.name, sources);
    for (const std::string& path : claim.sub_path) add_folder(claim.name, path, claim.name + "/" + path, sources);
  }
  if (spec.log_dir->s3) {
    sources.unsupported.insert(sources.unsupported.end(), spec.log_dir->s3->uri.begin(), spec.log_dir->s3->uri.end());
  }
  if (spec.log_dir->http) {
    sources.unsupported.insert(sources.unsupported.end(), spec.log_dir->http->url.begin(),
                               spec.log_dir->http->url.end());
  }
  return sources;
}

}  // namespace muster::control
