// The forms in which a client can ask for objects.
#pragma once

#include <compare>
#include <string>

namespace muster::apiserver {

enum class As { kObject, kTable, kPartialMetadata };
/// What a row of a Table carries besides its cells.
enum class RowObject { kMetadata, kFull, kNone };

struct Form {
  As as = As::kObject;
  std::string version = "v1";  // of meta.k8s.io, for Table and PartialObjectMetadata
  RowObject row_object = RowObject::kMetadata;
  bool headers = true;  // false after the first table of a watch, which names the columns
  auto operator<=>(const Form&) const = default;
};

}  // namespace muster::apiserver
