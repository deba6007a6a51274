// JSONPath in kubectl's dialect: `.status.conditions[?(@.type=="Ready")].status` in printer columns and `wait`, and
// templates such as `{range .items[*]}{.metadata.name}{"
// "}{end}` in `get -o jsonpath=`. An absent member is not an error: it selects nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::json {

/// One path. It may contain `.name`, `['name']`, `[n]`, `[-1]`, `[from:to:step]`, `[a,b]`, `[*]`, `.*`, `..` and
/// `[?(@.a op value)]` with == != < <= > >= or no operator (the member exists).
class JsonPath {
 public:
  /// Braces around the path, a leading `$` and a leading dot are optional. BadRequest names the column of the error.
  static Result<JsonPath> parse(std::string_view text);

  /// Returns all selected values in document order, each once. The pointers are into `root`.
  std::vector<const Document*> find(const Document& root) const { return find(root, root); }
  /// The same inside a `range`: the path is relative to `current`, or to `root` when it starts with `$`.
  std::vector<const Document*> find(const Document& current, const Document& root) const;

 private:
  friend class JsonPathTemplate;
  struct Step;
  struct Filter;
  struct Operand;
  class Parser;
  using Steps = std::vector<Step>;
  static std::vector<const Document*> walk(const Steps& steps, const Document& start, const Document& root);

  std::shared_ptr<const Steps> steps_;
  bool from_root_ = false;
};

/// Text with paths in braces. Several values of one path are joined by spaces.
class JsonPathTemplate {
 public:
  /// Reads a text without braces as one path.
  static Result<JsonPathTemplate> parse(std::string_view text);
  std::string render(const Document& root) const;

 private:
  struct Node;
  class Parser;
  static void render_nodes(const std::vector<Node>& nodes, const Document& current, const Document& root,
                           std::string& out);

  std::shared_ptr<const std::vector<Node>> nodes_;
};

/// A value as kubectl prints it in tables and templates: strings bare, null empty, the rest as JSON.
std::string plain_text(const Document& value);

}  // namespace muster::json
