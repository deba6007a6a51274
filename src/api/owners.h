// Answers which owner controls an object, and which pods start together.
#pragma once

#include <cstdint>
#include <string>

#include "api/kubernetes/meta_v1.h"
#include "json/document.h"

namespace muster::api {

/// Returns the owner that controls the object; null when there is none.
const OwnerReference* controller_of(const ObjectMeta& metadata);
const json::Document* controller_of(const json::Document& object);
bool is_controlled_by(const ObjectMeta& metadata, const std::string& owner_uid);
bool is_controlled_by(const json::Document& object, const std::string& owner_uid);

/// Returns the identifier of the pod's gang. Pods with the same group and the same controller start together, so a job
/// that was deleted and created again has a new gang. A pod without a group is a gang of its own.
std::string gang_of(const ObjectMeta& pod);
std::string gang_of(const json::Document& pod);
/// Returns how many pods the pod's gang needs; 1 for a pod that starts on its own.
std::size_t gang_size(const ObjectMeta& pod);
std::size_t gang_size(const json::Document& pod);

}  // namespace muster::api
