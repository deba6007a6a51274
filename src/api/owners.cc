#include "api/owners.h"

#include <algorithm>

#include "api/muster/names.h"
#include "base/strings.h"

namespace muster::api {

namespace {

std::string value_of(const StringMap& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

std::string gang_id(const std::string& ns, const std::string& pod, const std::string& group,
                    const std::string& controller_uid) {
  return group.empty() ? "pod/" + ns + "/" + pod : "group/" + ns + "/" + group + "/" + controller_uid;
}

std::size_t size_from(const std::string& annotation) {
  return static_cast<std::size_t>(std::max<std::int64_t>(parse_int(annotation).value_or(1), 1));
}

}  // namespace

const OwnerReference* controller_of(const ObjectMeta& metadata) {
  const auto found = std::ranges::find_if(metadata.owner_references,
                                          [](const OwnerReference& owner) { return owner.controller.value_or(false); });
  return found == metadata.owner_references.end() ? nullptr : &*found;
}

const json::Document* controller_of(const json::Document& object) {
  const json::Array& owners = object.array_at("metadata", "ownerReferences");
  const auto found =
      std::ranges::find_if(owners, [](const json::Document& owner) { return owner.bool_at("controller"); });
  return found == owners.end() ? nullptr : &*found;
}

bool is_controlled_by(const ObjectMeta& metadata, const std::string& owner_uid) {
  const OwnerReference* owner = controller_of(metadata);
  return owner != nullptr && owner->uid == owner_uid;
}

bool is_controlled_by(const json::Document& object, const std::string& owner_uid) {
  const json::Document* owner = controller_of(object);
  return owner != nullptr && owner->string_at("uid") == owner_uid;
}

std::string gang_of(const ObjectMeta& pod) {
  const OwnerReference* owner = controller_of(pod);
  return gang_id(pod.ns, pod.name, value_of(pod.labels, kGroupNameLabel), owner == nullptr ? "" : owner->uid);
}

std::string gang_of(const json::Document& pod) {
  const json::Document* owner = controller_of(pod);
  return gang_id(pod.string_at("metadata", "namespace"), pod.string_at("metadata", "name"),
                 pod.string_at("metadata", "labels", kGroupNameLabel), owner == nullptr ? "" : owner->string_at("uid"));
}

std::size_t gang_size(const ObjectMeta& pod) {
  return size_from(value_of(pod.annotations, kGangSizeAnnotation));
}

std::size_t gang_size(const json::Document& pod) {
  return size_from(pod.string_at("metadata", "annotations", kGangSizeAnnotation));
}

}  // namespace muster::api
