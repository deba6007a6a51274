// Columns and cells of the kinds that are built into Kubernetes, as its own printers have them.
#pragma once

#include <vector>

#include "api/resource.h"
#include "apiserver/table.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::apiserver {

struct BuiltinTable {
  std::vector<Column> columns;  // after the name
  bool name_first = true;       // events put their name last
  void (*add_cells)(const json::Document& object, Time now, json::Array& cells) = nullptr;
};

/// Null when the resource prints by its own columns.
const BuiltinTable* builtin_table(const api::Resource& resource);

}  // namespace muster::apiserver
