// Objects as rows of a metav1.Table: what `kubectl get` prints.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/print/form.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::apiserver {

std::vector<api::Column> columns_of(const api::Resource& resource);
/// One cell per column.
json::Array cells_of(const api::Resource& resource, const json::Document& object, Time now);

/// {"cells": […], "object": …}; `version` is that of the metadata inside.
json::Document table_row(const api::Resource& resource, const json::Document& object, RowObject row_object,
                         const std::string& version, Time now);
json::Document make_table(const api::Resource& resource, const Form& form, json::Object metadata, json::Array rows);
json::Document partial_metadata(const json::Document& object, const std::string& version);

}  // namespace muster::apiserver
