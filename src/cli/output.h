// `-o`: how an object or a list of them is printed when it is not a table.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/session.h"
#include "json/document.h"
#include "json/jsonpath.h"

namespace muster::cli {

class Output {
 public:
  enum class Form { kTable, kWide, kYaml, kJson, kName, kJsonPath, kColumns };

  Output() = default;  // a table
  /// "", wide, yaml, json, name, jsonpath=TEMPLATE, custom-columns=NAME:PATH,… BadRequest with the choices.
  static Result<Output> parse(const std::string& text);
  /// For commands that print single objects: "" stands for one line of text, and there is no wide.
  static Result<Output> parse_for_object(const std::string& text);
  /// The flag of those commands.
  static void add_object_flag(Flags& flags, std::string* text);
  void show_managed_fields() { managed_fields_ = true; }
  /// Of custom columns, from now on.
  void hide_headers() { headers_ = false; }

  Form form() const { return form_; }
  bool is_table() const { return form_ == Form::kTable || form_ == Form::kWide; }
  /// Prints what object() or list() gave: for programs exactly so, for people as Session::out does.
  void print(Session& session, std::string_view text) const;
  /// Ends with a newline, except jsonpath, which prints what the template says. `label` is the kind, for names.
  std::string object(const json::Document& object, const std::string& label) const;
  /// Several objects: a v1 List for yaml, json and jsonpath.
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

/// Without managedFields, which nobody reads.
json::Document for_people(json::Document object);

}  // namespace muster::cli
