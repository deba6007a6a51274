// `-o`: how objects and lists are printed when they are not printed as a table.
#pragma once

#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "cli/flags/flags.h"
#include "json/document.h"
#include "json/jsonpath.h"

namespace muster::cli {

class Output {
 public:
  enum class Form { kTable, kWide, kYaml, kJson, kName, kJsonPath, kColumns };

  Output() = default;  // a table
  /// Accepts "", wide, yaml, json, name, jsonpath=TEMPLATE, custom-columns=NAME:PATH,…; otherwise BadRequest.
  static Result<Output> parse(const std::string& text);
  /// For commands that print single objects: "" means one line of text, and wide is not available.
  static Result<Output> parse_for_object(const std::string& text);
  /// Adds the -o flag of those commands.
  static void add_object_flag(Flags& flags, std::string* text);
  void show_managed_fields() { managed_fields_ = true; }
  /// Omits the header line of custom columns.
  void hide_headers() { headers_ = false; }

  Form form() const { return form_; }
  bool is_table() const { return form_ == Form::kTable || form_ == Form::kWide; }
  /// Prints the result of object() or list(): unchanged in formats for programs, escaped as by Session::out otherwise.
  void print(Session& session, std::string_view text) const;
  /// Ends with a newline, except for jsonpath, which adds nothing to the template. `label` is for -o name.
  std::string object(const json::Document& object, const std::string& label) const;
  /// Prints several objects: a v1 List for yaml, json and jsonpath.
  std::string list(const std::vector<json::Document>& objects, const std::vector<std::string>& labels) const;

 private:
  struct Column {
    std::string name;
    json::JsonPath path;
  };
  std::string columns(const std::vector<json::Document>& objects) const;
  json::Document shown(const json::Document& object) const;

  Form form_ = Form::kTable;
  std::optional<json::JsonPathTemplate> template_;
  std::vector<Column> columns_;
  bool managed_fields_ = false;
  bool headers_ = true;
};

/// Removes managedFields, which only clutter the output.
json::Document for_people(json::Document object);

}  // namespace muster::cli
