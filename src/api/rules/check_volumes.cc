// Checks the sources of a pod's volumes.
#include "api/kubernetes/core_v1.h"
#include "api/rules/check_pod_parts.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::Place;

bool climbs(const std::string& path) {
  return contains(split(path, '/'), "..");
}

constexpr const char* kModeRule = "must be a number between 0 and 0777 (octal), both inclusive";

void check_mode(const Document& object, std::string_view key, const Place& place, Findings& found) {
  const Document* mode = object.find(key);
  if (mode == nullptr || !mode->is_int() || (mode->as_int() >= 0 && mode->as_int() <= 0777)) return;
  found.invalid(place.member(key), *mode, kModeRule);
}

/// The path must be inside the volume and must not start with "..", which the kubelet uses for names of its own.
void check_file_path(const std::string& path, const Place& at, Findings& found) {
  check_path_inside(path, at, found);
  if (path.starts_with("..") && !climbs(path)) found.invalid(at, path, "must not start with '..'");
}

void check_items(const Document& source, const Place& place, Findings& found) {
  visit_items(source, "items", place, [&](const Document& item, const Place& at) {
    found.has_text(item, "key", at);
    if (found.has_text(item, "path", at)) check_file_path(item.string_at("path"), at.member("path"), found);
    check_mode(item, "mode", at, found);
  });
}

void check_host_path(const Document& source, const Place& at, Findings& found) {
  const std::string& path = source.string_at("path");
  // Schema validation reports an absent path.
  if (path.empty() && source.find("path") != nullptr) found.required(at.member("path"));
  if (climbs(path)) found.invalid(at.member("path"), path, "must not contain '..'");
  found.one_of(source, "type", at,
               {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
}

void check_nfs(const Document& source, const Place& at, Findings& found) {
  found.has_text(source, "server", at);
  if (found.has_text(source, "path", at) && !source.string_at("path").starts_with('/')) {
    found.invalid(at.member("path"), source.string_at("path"), "must be an absolute path");
  }
}

void check_projected(const Document& projected, const Place& place, Findings& found) {
  check_mode(projected, "defaultMode", place, found);
  visit_items(projected, "sources", place, [&](const Document& source, const Place& at) {
    if (source.is_object() && source.as_object().size() > 1) {
      found.forbidden(at, "may not specify more than 1 volume type per source");
    }
    for (const char* key : {"secret", "configMap"}) {
      const Document* part = source.find(key);
      if (part == nullptr) continue;
      const Place part_at = at.member(key);
      found.has_text(*part, "name", part_at);
      check_items(*part, part_at, found);
    }
  });
}

void check_volume_source(std::string_view kind, const Document& source, const Place& at, Findings& found) {
  if (kind == "hostPath") {
    check_host_path(source, at, found);
  } else if (kind == "secret" || kind == "configMap") {
    found.has_text(source, kind == "secret" ? "secretName" : "name", at);
    check_mode(source, "defaultMode", at, found);
    check_items(source, at, found);
  } else if (kind == "persistentVolumeClaim") {
    if (source.find("claimName") != nullptr) found.has_text(source, "claimName", at);
  } else if (kind == "nfs") {
    check_nfs(source, at, found);
  } else if (kind == "projected") {
    check_projected(source, at, found);
  } else if (kind == "emptyDir") {
    const auto limit = Quantity::parse(source.string_at("sizeLimit"));
    if (limit && *limit < Quantity()) {
      found.forbidden(at.member("sizeLimit"), "SizeLimit field must be a valid resource quantity");
    }
  } else if (kind == "downwardAPI") {
    check_mode(source, "defaultMode", at, found);
  }
}

}  // namespace

void check_path_inside(const std::string& path, const Place& at, Findings& found) {
  if (path.starts_with('/')) found.invalid(at, path, "must be a relative path");
  if (climbs(path)) found.invalid(at, path, "must not contain '..'");
}

bool is_volume_source(std::string_view member) {
  // "local" exists only in a PersistentVolume, so the fields of Volume do not contain it.
  return member != "name" && (member == "local" || reflect::is_known(reflect::type_of<Volume>(), member));
}

std::size_t check_volume_sources(const Document& holder, const Place& place, Findings& found) {
  std::size_t given = 0;
  for (const auto& [kind, source] : holder.as_object()) {
    if (!is_volume_source(kind)) continue;
    const Place at = place.member(kind);
    if (++given > 1) {
      found.forbidden(at, "may not specify more than 1 volume type");
    } else {
      check_volume_source(kind, source, at, found);
    }
  }
  return given;
}

}  // namespace muster::api
