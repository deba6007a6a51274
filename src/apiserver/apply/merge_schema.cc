#include "apiserver/apply/merge_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "apiserver/apply/field_set.h"

namespace muster::apiserver::apply {
namespace {

using json::Document;
using reflect::Shape;

/// Lists of Kubernetes' own kinds that merge by keys, beyond what our descriptors say.
const std::vector<std::string>& well_known_keys(std::string_view name) {
  static const std::map<std::string_view, std::vector<std::string>> keys = {
      {"containers", {"name"}},
      {"initContainers", {"name"}},
      {"ephemeralContainers", {"name"}},
      {"volumes", {"name"}},
      {"env", {"name"}},
      {"imagePullSecrets", {"name"}},
      {"resourceClaims", {"name"}},
      {"schedulingGates", {"name"}},
      {"secrets", {"name"}},
      {"volumeMounts", {"mountPath"}},
      {"volumeDevices", {"devicePath"}},
      {"hostAliases", {"ip"}},
      {"podIPs", {"ip"}},
      {"conditions", {"type"}},
      {"addresses", {"type"}},
      {"topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
  };
  static const std::vector<std::string> none;
  const auto found = keys.find(name);
  return found == keys.end() ? none : found->second;
}

/// Objects of Kubernetes' own kinds that have one owner each: references and selectors.
bool is_whole(std::string_view name) {
  static constexpr std::array kNames = {
      std::string_view("selector"),       std::string_view("nodeSelector"),
      std::string_view("labelSelector"),  std::string_view("scopeSelector"),
      std::string_view("secretKeyRef"),   std::string_view("configMapKeyRef"),
      std::string_view("fieldRef"),       std::string_view("resourceFieldRef"),
      std::string_view("secretRef"),      std::string_view("dataSource"),
      std::string_view("involvedObject"), std::string_view("requiredDuringSchedulingIgnoredDuringExecution")};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

MergeSchema MergeSchema::member(std::string_view name) const {
  MergeSchema next;
  next.built_in_ = built_in_;
  next.own_metadata_ = root_ && name == "metadata";
  next.name_ = name;
  if (type_ != nullptr && type_->shape == Shape::kMap) {
    next.name_ = {};
    if (type_->element != nullptr) next.type_ = &type_->element();
  } else if (type_ != nullptr) {
    next.field_ = type_->field(name);
    if (next.field_ != nullptr) {
      next.name_ = next.field_->name;
      if (next.field_->type != nullptr) next.type_ = &next.field_->type();
    }
  }
  next.whole_ = built_in_ && is_whole(next.name_);
  // Metadata is Kubernetes' own in every kind; the metadata of a template in a custom resource is what its schema says.
  next.set_ = (own_metadata_ || (built_in_ && type_ != nullptr && type_->name == "ObjectMeta")) && name == "finalizers";
  return next;
}

MergeSchema MergeSchema::item() const {
  MergeSchema next;
  next.built_in_ = built_in_;
  if (type_ != nullptr && type_->element != nullptr) next.type_ = &type_->element();
  next.whole_ = built_in_ && name_ == "imagePullSecrets";
  return next;
}

bool MergeSchema::declares(std::string_view name) const {
  if (type_ == nullptr || type_->shape == Shape::kAny) return built_in_;
  if (type_->shape != Shape::kObject) return false;
  return built_in_ || type_->field(name) != nullptr;
}

std::vector<std::string> MergeSchema::keys() const {
  if (!built_in_) {
    if (field_ == nullptr || field_->list_map_key.empty()) return {};
    return {field_->list_map_key};
  }
  if (field_ != nullptr && !field_->item_key().empty()) {
    std::vector<std::string> found = {field_->item_key()};
    if (name_ == "ports") found.emplace_back("protocol");
    return found;
  }
  return well_known_keys(name_);
}

Unit MergeSchema::unit_of(const Document& value) const {
  if (whole_) return Unit::kWhole;
  if (value.is_object()) return Unit::kMembers;
  if (!value.is_array()) return Unit::kWhole;
  if (set_) return Unit::kSetItems;
  return keys().empty() ? Unit::kWhole : Unit::kKeyedItems;
}

std::string MergeSchema::element_of(const Document& item, const std::vector<std::string>& keys) const {
  if (keys.empty()) return "v:" + json::serialize(item);
  json::Object found;
  for (const std::string& key : keys) {
    const Document* value = item.find(key);
    if (value != nullptr && !value->is_object() && !value->is_array() && !value->is_null()) {
      found.append(key, *value);
    } else if (key == "protocol") {
      found.append(key, "TCP");  // the default is part of the schema
    } else {
      return "";
    }
  }
  return "k:" + json::serialize(found);
}

std::optional<std::vector<std::string>> MergeSchema::elements_of(const json::Array& items) const {
  const std::vector<std::string> item_keys = set_ ? std::vector<std::string>() : keys();
  std::vector<std::string> elements;
  elements.reserve(items.size());
  std::set<std::string_view> seen;
  for (const Document& item : items) {
    elements.push_back(element_of(item, item_keys));
    if (elements.back().empty()) return std::nullopt;
  }
  for (const std::string& element : elements) {
    if (!seen.insert(element).second) return std::nullopt;
  }
  return elements;
}

}  // namespace muster::apiserver::apply
