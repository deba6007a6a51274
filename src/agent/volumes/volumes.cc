#include "agent/volumes/volumes.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "api/muster/names.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

Error invalid(std::string message) {
  return Error{.reason = Reason::kInvalid, .message = std::move(message)};
}
Error not_found(std::string message) {
  return Error{.reason = Reason::kNotFound, .message = std::move(message)};
}

/// Returns true for a path that stays inside its volume: relative and without "..".
bool stays_inside(const std::string& path) {
  if (path.empty() || path[0] == '/') return false;
  const std::vector<std::string> parts = split(path, '/');
  return std::ranges::find(parts, "..") == parts.end();
}

using ValueOf = Result<std::string> (*)(const Document&, const std::string&);

std::vector<std::string> keys_of(const Document& object) {
  std::vector<std::string> keys;
  for (const char* list : {"data", "binaryData"}) {
    const Document* found = object.find(list);
    if (found == nullptr || !found->is_object()) continue;
    for (const json::Member& member : found->as_object()) keys.push_back(member.key);
  }
  return keys;
}

unsigned mode_at(const Document& object, std::string_view key, unsigned usual) {
  const Document* mode = object.find(key);
  return mode != nullptr && mode->is_int() ? static_cast<unsigned>(mode->as_int()) : usual;
}

/// Returns the keys of a ConfigMap or Secret as files: all of them, or those listed in `items`.
Result<FileFolder> files_of(const Document& object, const Document& source, ValueOf value_of, unsigned mode) {
  FileFolder files;
  const json::Array& items = source.array_at("items");
  if (items.empty()) {
    for (const std::string& key : keys_of(object)) {
      TRY_ASSIGN(std::string value, value_of(object, key));
      files.push_back({key, mode, std::move(value)});
    }
    return files;
  }
  for (const Document& item : items) {
    const std::string& key = item.string_at("key");
    const std::string& path = item.string_at("path");
    if (!stays_inside(path))
      return invalid(fmt::format("items: path {} must be relative and without \"..\"", quote(path)));
    auto value = value_of(object, key);
    if (!value && source.bool_at("optional")) continue;
    if (!value) return not_found(fmt::format("references non-existent key {}", quote(key)));
    files.push_back({path, mode_at(item, "mode", mode), *std::move(value)});
  }
  return files;
}

/// Returns the files of the ConfigMap or Secret that `source` names.
Result<FileFolder> files_of_named(const Document& source, const char* kind, const std::string& object_name,
                                  const References::Find& find, ValueOf value_of, unsigned mode) {
  const auto object = find(object_name);
  if (object == nullptr) {
    if (source.bool_at("optional")) return FileFolder{};
    return not_found(fmt::format("{} {} not found", kind, quote(object_name)));
  }
  auto files = files_of(*object, source, value_of, mode);
  if (!files) return in_context(fmt::format("{} {}", kind, quote(object_name)), std::move(files).error());
  return files;
}

/// Returns fields of the pod as files.
Result<FileFolder> downward_files(const Document& source, const Document& pod, const PodFacts& facts, unsigned mode) {
  FileFolder files;
  for (const Document& item : source.array_at("items")) {
    const std::string& path = item.string_at("path");
    if (!stays_inside(path)) {
      return invalid(fmt::format("downwardAPI: path {} must be relative and without \"..\"", quote(path)));
    }
    const Document* field = item.find("fieldRef");
    const Document* amount = item.find("resourceFieldRef");
    if (field == nullptr && amount == nullptr)
      return invalid(fmt::format("downwardAPI {}: must have fieldRef or resourceFieldRef", quote(path)));
    TRY_ASSIGN(std::string value, field != nullptr ? pod_field(pod, facts, field->string_at("fieldPath"))
                                                   : resource_field(pod, nullptr, *amount, facts));
    files.push_back({path, mode_at(item, "mode", mode), std::move(value)});
  }
  return files;
}

Result<FileFolder> token_file(const Document& source, const Document& pod, const ApiAccess* access, unsigned mode) {
  const std::string& path = source.string_at("path");
  if (!stays_inside(path)) {
    return invalid(fmt::format("serviceAccountToken: path {} must be relative and without \"..\"", quote(path)));
  }
  if (const std::string& audience = source.string_at("audience"); !audience.empty()) {
    return invalid(
        fmt::format("serviceAccountToken: audience must be absent, got {}; tokens in pods are for this "
                    "engine only",
                    quote(audience)));
  }
  if (access == nullptr) {
    const std::string& account = pod.string_at("spec", "serviceAccountName");
    return not_found(fmt::format("serviceaccount {} not found", quote(account.empty() ? "default" : account)));
  }
  return FileFolder{{path, mode, access->token}};
}

Result<FileFolder> files_of_source(const Document& source, const Document& pod, const VolumeInputs& inputs,
                                   unsigned mode) {
  const References& references = inputs.references;
  if (const Document* part = source.find("serviceAccountToken")) return token_file(*part, pod, inputs.access, mode);
  if (const Document* part = source.find("downwardAPI")) return downward_files(*part, pod, inputs.facts, mode);
  if (const Document* part = source.find("configMap")) {
    return files_of_named(*part, "configmap", part->string_at("name"), references.config_map, config_map_value, mode);
  }
  if (const Document* part = source.find("secret")) {
    return files_of_named(*part, "secret", part->string_at("name"), references.secret, secret_value, mode);
  }
  return invalid("sources: must be serviceAccountToken, downwardAPI, configMap or secret");
}

Result<FileFolder> projected_files(const Document& projected, const Document& pod, const VolumeInputs& inputs) {
  FileFolder all;
  for (const Document& source : projected.array_at("sources")) {
    TRY_ASSIGN(FileFolder files, files_of_source(source, pod, inputs, mode_at(projected, "defaultMode", 0644)));
    all.insert(all.end(), std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
  }
  return all;
}

Result<LaunchVolume> plan_empty_dir(const std::string& name, const Document& source, const std::string& uid,
                                    const Paths& paths, std::vector<LaunchFolder>& folders) {
  if (source.string_at("medium") == "Memory") {
    const Document* limit = source.find("sizeLimit");
    std::optional<Quantity> size;
    if (limit != nullptr && limit->is_string()) size = Quantity::parse(limit->as_string());
    if (limit != nullptr && limit->is_int()) size = Quantity::of(limit->as_int());
    return LaunchVolume{name, MemoryFolder{size ? size->value() : 0}};
  }
  folders.push_back({paths.pod_volumes(uid) + "/" + name, true});
  return LaunchVolume{name, HostFolder{folders.back().path}};
}

Result<LaunchVolume> plan_host_path(const std::string& name, const Document& source,
                                    std::vector<LaunchFolder>& folders) {
  const std::string& path = source.string_at("path");
  if (path.empty() || path[0] != '/')
    return invalid(fmt::format("hostPath: path must be absolute, got {}", quote(path)));
  if (source.string_at("type") == "DirectoryOrCreate") folders.push_back({path});
  return LaunchVolume{name, HostFolder{path, FolderOrigin::kHostPath, source.string_at("type")}};
}

Result<LaunchVolume> plan_claim(const std::string& name, const Document& source, const References& references,
                                const Paths& paths, std::vector<LaunchFolder>& folders) {
  const std::string& claim_name = source.string_at("claimName");
  const auto claim = references.claim(claim_name);
  if (claim == nullptr) return not_found(fmt::format("persistentvolumeclaim {} not found", quote(claim_name)));
  const std::string folder = claim_folder(*claim, paths);
  if (!claim->string_at("metadata", "annotations", api::kPathAnnotation).empty()) {
    return LaunchVolume{name, HostFolder{folder, FolderOrigin::kNamed}};
  }
  folders.push_back({folder});
  return LaunchVolume{name, HostFolder{folder, FolderOrigin::kEngine}};
}

Result<LaunchVolume> plan_volume(const Document& volume, const Document& pod, const VolumeInputs& inputs,
                                 const Paths& paths, std::vector<LaunchFolder>& folders) {
  const std::string& name = volume.string_at("name");
  if (const Document* source = volume.find("persistentVolumeClaim"))
    return plan_claim(name, *source, inputs.references, paths, folders);
  if (const Document* source = volume.find("emptyDir"))
    return plan_empty_dir(name, *source, pod.string_at("metadata", "uid"), paths, folders);
  if (const Document* source = volume.find("hostPath")) return plan_host_path(name, *source, folders);
  const auto folder_of = [&name](Result<FileFolder> files) -> Result<LaunchVolume> {
    if (!files) return std::move(files).error();
    return LaunchVolume{name, *std::move(files)};
  };
  if (const Document* source = volume.find("configMap")) {
    return folder_of(files_of_named(*source, "configmap", source->string_at("name"), inputs.references.config_map,
                                    config_map_value, mode_at(*source, "defaultMode", 0644)));
  }
  if (const Document* source = volume.find("secret")) {
    return folder_of(files_of_named(*source, "secret", source->string_at("secretName"), inputs.references.secret,
                                    secret_value, mode_at(*source, "defaultMode", 0400)));
  }
  if (const Document* source = volume.find("projected")) return folder_of(projected_files(*source, pod, inputs));
  if (const Document* source = volume.find("downwardAPI")) {
    return folder_of(downward_files(*source, pod, inputs.facts, mode_at(*source, "defaultMode", 0644)));
  }
  std::string kind = "none";
  for (const json::Member& member : volume.as_object()) {
    if (member.key != "name") kind = member.key;
  }
  return invalid(
      fmt::format("volume {}: type {} is not supported on this engine; use persistentVolumeClaim, emptyDir, hostPath, "
                  "configMap, secret, projected or downwardAPI",
                  quote(name), kind));
}

/// Removes repeated and trailing slashes.
std::string tidy_path(const std::string& path) {
  std::string out;
  for (const std::string& part : split(path, '/')) {
    if (!part.empty() && part != ".") out += "/" + part;
  }
  return out.empty() ? "/" : out;
}

bool is_read_only_volume(const Document& pod, const std::string& name) {
  const Document* spec = pod.find("spec");
  if (spec == nullptr) return false;
  for (const Document& volume : spec->array_at("volumes")) {
    if (volume.string_at("name") != name) continue;
    for (const char* files : {"configMap", "secret", "projected", "downwardAPI"}) {
      if (volume.find(files) != nullptr) return true;
    }
    return volume.bool_at("persistentVolumeClaim", "readOnly");
  }
  return false;
}

/// Returns subPath, or subPathExpr with the container's variables in it. A kubelet requires that all of them exist.
Result<std::string> sub_path_of(const Document& mount, const Variables& variables) {
  const std::string& expression = mount.string_at("subPathExpr");
  if (expression.empty()) return mount.string_at("subPath");
  std::string missing;
  std::string path = expand(expression, [&](const std::string& name) -> const std::string* {
    const auto found = std::ranges::find(variables, name, &std::pair<std::string, std::string>::first);
    if (found == variables.end()) missing = name;
    return found == variables.end() ? nullptr : &found->second;
  });
  if (missing.empty()) return path;
  return invalid(fmt::format("volumeMounts {}: subPathExpr: variable {} must be in the container's env",
                             quote(mount.string_at("name")), quote(missing)));
}

}  // namespace

std::string claim_folder(const Document& claim, const Paths& paths) {
  const std::string& given = claim.string_at("metadata", "annotations", api::kPathAnnotation);
  if (!given.empty()) return given;
  return paths.claim(claim.string_at("metadata", "namespace"), claim.string_at("metadata", "name"));
}

Result<VolumePlan> plan_volumes(const Document& pod, const VolumeInputs& inputs, const Paths& paths) {
  VolumePlan plan;
  const Document* spec = pod.find("spec");
  if (spec == nullptr) return plan;
  for (const Document& volume : spec->array_at("volumes")) {
    TRY_ASSIGN(auto planned, plan_volume(volume, pod, inputs, paths, plan.folders));
    plan.volumes.push_back(std::move(planned));
  }
  return plan;
}

Result<std::vector<LaunchMount>> plan_mounts(const Document& pod, const Document& container,
                                             const Variables& variables) {
  std::vector<LaunchMount> mounts;
  for (const Document& mount : container.array_at("volumeMounts")) {
    const std::string& name = mount.string_at("name");
    const std::string target = tidy_path(mount.string_at("mountPath"));
    TRY_ASSIGN(const std::string sub_path, sub_path_of(mount, variables));
    const std::vector<std::string> parts = split(target, '/');
    if (mount.string_at("mountPath").substr(0, 1) != "/" || target == "/" ||
        std::ranges::find(parts, "..") != parts.end()) {
      return invalid(fmt::format("volumeMounts {}: mountPath must be absolute, not \"/\" and without \"..\", got {}",
                                 quote(name), quote(mount.string_at("mountPath"))));
    }
    if (!sub_path.empty() && !stays_inside(sub_path)) {
      return invalid(fmt::format("volumeMounts {}: subPath must be relative and without \"..\", got {}", quote(name),
                                 quote(sub_path)));
    }
    mounts.push_back({.volume = name,
                      .sub_path = sub_path,
                      .target = target,
                      .read_only = mount.bool_at("readOnly") || is_read_only_volume(pod, name)});
  }
  std::ranges::stable_sort(mounts, {}, &LaunchMount::target);
  return mounts;
}

}  // namespace muster::agent
