#include "jobs/log_folders.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "jobs/kind.h"

namespace muster::jobs {
namespace {

/// Of TensorBoard, Keras, Lightning, Transformers and what people name it themselves.
bool names_log_folder(std::string_view flag) {
  static constexpr std::string_view kFlags[] = {
      "--logdir",     "--log-dir",  "--log_dir",  "--logging_dir", "--logging-dir", "--tensorboard-dir", "--output_dir",
      "--output-dir", "--save_dir", "--save-dir", "--run_dir",     "--outdir",      "--default_root_dir"};
  return std::ranges::find(kFlags, flag) != std::end(kFlags);
}

std::vector<std::string> log_folder_arguments(const api::Container& container) {
  std::vector<std::string> words = container.command;
  words.insert(words.end(), container.args.begin(), container.args.end());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (!names_log_folder(std::string_view(words[i]).substr(0, equals))) continue;
    if (equals != std::string::npos) {
      out.push_back(words[i].substr(equals + 1));
    } else if (i + 1 < words.size()) {
      out.push_back(words[i + 1]);
    }
  }
  return out;
}

/// Returns where in the mounted folder the path is; nullopt when it lies outside.
std::optional<std::string> inside(const std::string& path, const std::string& mounted_at) {
  const std::string relative = std::filesystem::path(path).lexically_relative(mounted_at).string();
  if (relative.empty() || relative.starts_with("..")) return std::nullopt;
  return relative == "." ? "" : relative;
}

std::string below(const std::string& folder, const std::string& path) {
  if (folder.empty()) return path;
  return path.empty() ? folder : folder + "/" + path;
}

}  // namespace

std::vector<WritableFolder> writable_folders(const json::Document& object) {
  const JobKind* kind = kind_of_job(object);
  if (kind == nullptr) return {};
  const auto job = kind->normalise(object, Where::kEngine);
  if (!job || job->roles.empty()) return {};
  const api::PodSpec& spec = job->roles.front().pod_template.spec;
  std::map<std::string, std::string> claims;
  for (const api::Volume& volume : spec.volumes) {
    if (volume.persistent_volume_claim && !volume.persistent_volume_claim->read_only) {
      claims[volume.name] = volume.persistent_volume_claim->claim_name;
    }
  }
  std::vector<WritableFolder> out;
  for (const api::Container& container : spec.containers) {
    const std::vector<std::string> arguments = log_folder_arguments(container);
    for (const api::VolumeMount& mount : container.volume_mounts) {
      const auto claim = claims.find(mount.name);
      if (claim == claims.end() || mount.read_only) continue;
      WritableFolder folder{.claim = claim->second, .path = mount.sub_path, .named = {}};
      for (const std::string& argument : arguments) {
        const auto path = std::filesystem::path(container.working_dir) / argument;
        const auto found = inside(path.lexically_normal().string(), mount.mount_path);
        if (found) folder.named.push_back(below(mount.sub_path, *found));
      }
      const bool is_known = std::ranges::any_of(
          out, [&](const WritableFolder& known) { return known.claim == folder.claim && known.path == folder.path; });
      if (!is_known) out.push_back(std::move(folder));
    }
  }
  return out;
}

std::vector<std::string> host_names(const json::Document& object) {
  constexpr std::size_t kLongestHost = 64;  // of sethostname(2)
  const JobKind* kind = kind_of_job(object);
  if (kind == nullptr) return {};
  const auto job = kind->normalise(object, Where::kEngine);
  if (!job) return {};
  std::vector<std::string> out;
  for (const Role& role : job->roles) {
    const std::string& given = role.pod_template.spec.hostname;
    const std::string last = given.empty() ? host_name(*job, role, std::max(role.replicas, 1) - 1) : given;
    if (last.size() > kLongestHost) return {};
    const bool is_numbered = given.empty() && role.has_index;
    out.push_back(is_numbered ? last.substr(0, last.rfind('-') + 1) : last);
  }
  return out;
}

}  // namespace muster::jobs
