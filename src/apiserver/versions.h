// Kinds with several versions: objects are stored in one of them and differ in nothing but apiVersion.
#pragma once

#include <string>

#include "api/resource.h"
#include "json/document.h"

namespace muster::apiserver {

/// The object as the storage has it.
inline void to_stored_version(const api::Resource& resource, json::Document& object) {
  if (!resource.is_storage) object["apiVersion"] = api::storage_version(resource).api_version();
}

/// A stored object as the version asked for shows it.
inline void to_asked_version(const api::Resource& resource, json::Document& object) {
  if (!resource.is_storage) object["apiVersion"] = resource.api_version();
}

/// The same for bytes; those of the stored version pass through untouched.
inline void append_in_version(const api::Resource& resource, const std::string& bytes, std::string& out) {
  if (!resource.is_storage) {
    if (auto object = json::parse(bytes)) {
      to_asked_version(resource, *object);
      json::append_serialized(*object, out);
      return;
    }
  }
  out += bytes;
}

}  // namespace muster::apiserver
