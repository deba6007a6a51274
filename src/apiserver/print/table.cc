#include "apiserver/print/table.h"

#include <map>
#include <optional>

#include "json/jsonpath.h"

namespace muster::apiserver {
namespace {

constexpr const char* kNameDoc =
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically.";
constexpr const char* kAgeDoc =
    "CreationTimestamp is a timestamp representing the server time when this object was created.";

/// A CRD without columns of its own shows the age.
const std::vector<api::PrinterColumn>& custom_columns(const api::Resource& resource) {
  static const std::vector<api::PrinterColumn> age = {{"Age", "date", ".metadata.creationTimestamp", kAgeDoc, 0}};
  return resource.columns.empty() ? age : resource.columns;
}

/// Paths are parsed once, because lists print the same few for thousands of rows. An invalid path finds nothing; the
/// unit tests check every column of the resource table.
const json::JsonPath* path_of(const std::string& text) {
  static std::map<std::string, std::optional<json::JsonPath>> parsed;
  auto [at, is_new] = parsed.try_emplace(text);
  if (is_new) {
    if (auto path = json::JsonPath::parse(text)) at->second = *std::move(path);
  }
  return at->second ? &*at->second : nullptr;
}

json::Document custom_cell(const api::PrinterColumn& column, const json::Document& object, Time now) {
  const json::JsonPath* path = path_of(column.json_path);
  if (path == nullptr) return nullptr;
  const auto found = path->find(object);
  if (found.empty() || found[0]->is_null()) return nullptr;
  const json::Document& value = *found[0];
  if (column.type == "date") return value.is_string() ? json::Document(api::age_text(value.as_string(), now)) : nullptr;
  if (column.type == "string") return json::plain_text(value);
  return value;
}

}  // namespace

std::vector<api::Column> columns_of(const api::Resource& resource) {
  std::vector<api::Column> columns = {{"Name", "string", "name", kNameDoc, 0}};
  if (const auto& printer = resource.printer) {
    if (!printer->name_first) columns.clear();
    columns.insert(columns.end(), printer->columns.begin(), printer->columns.end());
    return columns;
  }
  for (const api::PrinterColumn& column : custom_columns(resource)) {
    columns.push_back({column.name, column.type, "", column.description, column.priority});
  }
  return columns;
}

json::Array cells_of(const api::Resource& resource, const json::Document& object, Time now) {
  json::Array cells;
  if (const auto& printer = resource.printer) {
    if (printer->name_first) cells.emplace_back(object.string_at("metadata", "name"));
    printer->add_cells(object, now, cells);
    return cells;
  }
  cells.emplace_back(object.string_at("metadata", "name"));
  for (const api::PrinterColumn& column : custom_columns(resource)) {
    cells.push_back(custom_cell(column, object, now));
  }
  return cells;
}

json::Document partial_metadata(const json::Document& object, const std::string& version) {
  json::Object out;
  out.append("kind", "PartialObjectMetadata");
  out.append("apiVersion", "meta.k8s.io/" + version);
  const json::Document* metadata = object.find("metadata");
  out.append("metadata", metadata == nullptr ? json::Document(json::Object()) : *metadata);
  return out;
}

json::Document table_row(const api::Resource& resource, const json::Document& object, RowObject row_object,
                         const std::string& version, Time now) {
  json::Object row;
  row.append("cells", cells_of(resource, object, now));
  switch (row_object) {
    case RowObject::kMetadata:
      row.append("object", partial_metadata(object, version));
      break;
    case RowObject::kFull:
      row.append("object", object);
      break;
    case RowObject::kNone:
      row.append("object", nullptr);
      break;
  }
  return row;
}

json::Document make_table(const api::Resource& resource, const Form& form, json::Object metadata, json::Array rows) {
  json::Object table;
  table.append("kind", "Table");
  table.append("apiVersion", "meta.k8s.io/" + form.version);
  table.append("metadata", std::move(metadata));
  json::Document definitions = nullptr;  // after the first table of a watch the client knows the columns
  if (form.headers) {
    json::Array columns;
    for (const api::Column& column : columns_of(resource)) {
      columns.emplace_back(json::Object{{"name", column.name},
                                        {"type", column.type},
                                        {"format", column.format},
                                        {"description", column.description},
                                        {"priority", column.priority}});
    }
    definitions = std::move(columns);
  }
  table.append("columnDefinitions", std::move(definitions));
  table.append("rows", std::move(rows));
  return table;
}

}  // namespace muster::apiserver
