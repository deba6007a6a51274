// What an API server keeps of an object, and what it drops.
#pragma once

#include <string_view>

#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

/// A field, one of the names that an open type has beyond its fields, or anything where it lists none.
bool is_known(const TypeDesc& type, std::string_view name);

/// What open types keep: in Kubernetes' own kinds the names they have there, in custom resources whatever there is, as
/// their schema says. The metadata of an object is Kubernetes' own in every kind.
enum class OpenTypes { kKnownNames, kEverything };
/// Drops unknown members, as an API server does when fieldValidation is not Strict.
void prune(const TypeDesc& type, json::Document& document, OpenTypes open_types);

}  // namespace muster::reflect
