// Kinds with several versions: objects are stored in one of them, and the versions differ only in apiVersion.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "json/document.h"

namespace muster::api {

/// Each kind once, in its storage version, for code that visits everything in the store.
inline const std::vector<const Resource*>& stored_resources() {
  static const std::vector<const Resource*> stored = [] {
    std::vector<const Resource*> all;
    for (const Resource& resource : resources()) {
      if (resource.is_storage) all.push_back(&resource);
    }
    return all;
  }();
  return stored;
}

/// Converts the object to its storage version.
inline void to_stored_version(const Resource& resource, json::Document& object) {
  if (!resource.is_storage) object["apiVersion"] = storage_version(resource).api_version();
}

/// Converts a stored object to the requested version.
inline void to_asked_version(const Resource& resource, json::Document& object) {
  if (!resource.is_storage) object["apiVersion"] = resource.api_version();
}

/// The same for bytes; bytes in the storage version are shared.
inline std::shared_ptr<const std::string> in_version(const Resource& resource,
                                                     std::shared_ptr<const std::string> bytes) {
  if (resource.is_storage) return bytes;
  auto object = json::parse(*bytes);
  if (!object) return bytes;
  to_asked_version(resource, *object);
  return std::make_shared<const std::string>(json::serialize(*object));
}

}  // namespace muster::api
