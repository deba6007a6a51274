// Checks where the volumes of a pod are mounted in a container.
#include <fmt/core.h>

#include <algorithm>
#include <climits>

#include "api/rules/check_pod_parts.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

std::vector<std::string> volume_names(const Document& spec) {
  std::vector<std::string> names;
  for (const Document& volume : spec.array_at("volumes")) names.push_back(volume.string_at("name"));
  return names;
}

bool is_too_long(const std::string& step) {
  return step.size() > NAME_MAX;
}

/// Kubernetes accepts almost any path, but a container cannot start when a mount hides its root, /proc, /sys or /dev.
void check_mount_path(const std::string& path, const Place& at, Findings& found) {
  std::vector<std::string> steps = split(path, '/');
  std::erase_if(steps, [](const std::string& step) { return step.empty() || step == "."; });
  const bool shared_memory = steps.size() >= 2 && steps[0] == "dev" && steps[1] == "shm";
  if (!path.starts_with('/')) {
    found.invalid(at, path, "must be an absolute path");
  } else if (contains(steps, "..")) {
    found.invalid(at, path, "must not contain '..'");
  } else if (path.size() >= PATH_MAX || std::ranges::any_of(steps, is_too_long)) {
    found.invalid(
        at, path,
        fmt::format("must have at most {} bytes, and at most {} between two slashes", PATH_MAX - 1, NAME_MAX));
  } else if (steps.empty()) {
    found.invalid(at, path, "must not be the root of the container; mount the volume below it");
  } else if (steps[0] == "proc" || steps[0] == "sys" || (steps[0] == "dev" && !shared_memory)) {
    found.invalid(at, path, "must not be at or below /proc, /sys or /dev, except /dev/shm");
  }
}

}  // namespace

void check_mounts(const Document& spec, const Document& container, const Place& place, Findings& found) {
  const std::vector<std::string> volumes = volume_names(spec);
  std::vector<std::string> paths;
  visit_items(container, "volumeMounts", place, [&](const Document& mount, const Place& at) {
    const std::string& name = mount.string_at("name");
    if (mount.find("name") != nullptr && found.has_text(mount, "name", at) && !contains(volumes, name)) {
      found.not_found(at.member("name"), name, volumes);
    }
    const std::string& path = mount.string_at("mountPath");
    if (mount.find("mountPath") != nullptr && found.has_text(mount, "mountPath", at)) {
      check_mount_path(path, at.member("mountPath"), found);
    }
    found.without_nul(mount, "mountPath", at);
    if (contains(paths, path)) found.invalid(at.member("mountPath"), path, "must be unique");
    paths.push_back(path);
    for (const char* key : {"subPath", "subPathExpr"}) check_path_inside(mount.string_at(key), at.member(key), found);
    if (!mount.string_at("subPath").empty() && !mount.string_at("subPathExpr").empty()) {
      found.invalid(at.member("subPathExpr"), mount.string_at("subPathExpr"),
                    "subPathExpr and subPath are mutually exclusive");
    }
  });
}

}  // namespace muster::api
