#include "cli/output/output.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/output/table.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

constexpr std::string_view kJsonPathPrefix = "jsonpath=";
constexpr std::string_view kColumnsPrefix = "custom-columns=";

Error wrong(std::string message) {
  return {.reason = Reason::kBadRequest, .message = std::move(message)};
}

}  // namespace

Result<Output> Output::parse(const std::string& text) {
  Output out;
  if (text.empty()) return out;
  constexpr std::pair<std::string_view, Form> kForms[] = {
      {"wide", Form::kWide}, {"yaml", Form::kYaml}, {"json", Form::kJson}, {"name", Form::kName}};
  for (const auto& [word, form] : kForms) {
    if (text != word) continue;
    out.form_ = form;
    return out;
  }
  if (text.starts_with(kJsonPathPrefix)) {
    out.form_ = Form::kJsonPath;
    if (text.size() == kJsonPathPrefix.size()) {
      return wrong("--output: jsonpath= needs a template, such as jsonpath='{.metadata.name}'");
    }
    TRY_ASSIGN(out.template_, json::JsonPathTemplate::parse(text.substr(kJsonPathPrefix.size())));
    return out;
  }
  if (text.starts_with(kColumnsPrefix)) {
    out.form_ = Form::kColumns;
    for (const std::string& column : split(text.substr(kColumnsPrefix.size()), ',')) {
      const std::size_t colon = column.find(':');
      if (colon == std::string::npos || colon == 0) {
        return wrong(fmt::format("--output: a column is NAME:PATH, got {}", quote(column)));
      }
      TRY_ASSIGN(json::JsonPath path, json::JsonPath::parse(column.substr(colon + 1)));
      out.columns_.push_back({column.substr(0, colon), std::move(path)});
    }
    return out;
  }
  return wrong(
      fmt::format("--output: must be wide, yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,…, got {}",
                  quote(text)));
}

Result<Output> Output::parse_for_object(const std::string& text) {
  if (text == "wide") {
    return wrong("--output: must be yaml, json, name, jsonpath=TEMPLATE or custom-columns=NAME:PATH,…, got \"wide\"");
  }
  return parse(text);
}

void Output::add_object_flag(Flags& flags, std::string* text) {
  flags.add("output", text, "output format: yaml, json, name, jsonpath=…", 'o');
  flags.set_choices("output", {"yaml", "json", "name", "jsonpath="});
}

void Output::print(Session& session, std::string_view text) const {
  const bool for_programs = form_ == Form::kYaml || form_ == Form::kJson || form_ == Form::kJsonPath;
  for_programs ? session.out_exact(text) : session.out(text);
}

json::Document Output::shown(const json::Document& object) const {
  return managed_fields_ ? object : for_people(object);
}

std::string Output::object(const json::Document& object, const std::string& label) const {
  switch (form_) {
    case Form::kYaml:
      return json::to_yaml(shown(object));
    case Form::kJson:
      return json::serialize_pretty(shown(object)) + "\n";
    case Form::kName:
      return fmt::format("{}/{}\n", label, object.string_at("metadata", "name"));
    case Form::kJsonPath:
      return template_->render(object);
    case Form::kColumns:
      return columns({object});
    case Form::kTable:
    case Form::kWide:
      break;
  }
  return "";
}

std::string Output::list(const std::vector<json::Document>& objects, const std::vector<std::string>& labels) const {
  if (form_ == Form::kColumns) return columns(objects);
  if (form_ == Form::kName) {
    std::string out;
    for (std::size_t i = 0; i < objects.size(); ++i) out += object(objects[i], labels[i]);
    return out;
  }
  json::Array items;
  for (const json::Document& item : objects) items.push_back(shown(item));
  return object(json::Object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}}, "list");
}

std::string Output::columns(const std::vector<json::Document>& objects) const {
  std::vector<std::vector<std::string>> rows;
  if (headers_) {
    rows.emplace_back();
    for (const Column& column : columns_) rows[0].push_back(column.name);
  }
  for (const json::Document& object : objects) {
    std::vector<std::string> row;
    for (const Column& column : columns_) {
      std::vector<std::string> cells;
      for (const json::Document* found : column.path.find(object)) cells.push_back(cell_text(*found));
      row.push_back(cells.empty() ? "<none>" : join(cells, ","));
    }
    rows.push_back(std::move(row));
  }
  return Columns().lines(rows);
}

json::Document for_people(json::Document object) {
  if (json::Document* metadata = object.find("metadata"); metadata != nullptr && metadata->is_object()) {
    metadata->as_object().erase("managedFields");
  }
  return object;
}

}  // namespace muster::cli
