// Who controls an object, and which pods start together.
#pragma once

#include <cstdint>
#include <string>

#include "api/meta.h"
#include "json/document.h"

namespace muster::api {

/// The owner that controls the object; null when there is none.
const OwnerReference* controller_of(const ObjectMeta& metadata);
const json::Document* controller_of(const json::Document& object);
bool is_controlled_by(const ObjectMeta& metadata, const std::string& owner_uid);
bool is_controlled_by(const json::Document& object, const std::string& owner_uid);

/// Names the gang of a pod: pods of one group and one controller start together, so a job that was deleted and created
/// again is another gang. A pod without a group is a gang by itself.
std::string gang_of(const ObjectMeta& pod);
std::string gang_of(const json::Document& pod);
/// How many pods the gang of the pod needs; 1 for a pod that starts on its own.
std::size_t gang_size(const ObjectMeta& pod);
std::size_t gang_size(const json::Document& pod);

}  // namespace muster::api
