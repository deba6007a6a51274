// Reads YAML into Documents as Kubernetes does, and keeps the position of every node for error messages.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::json {

struct Mark {
  int line = 0;  // 1-based
  int column = 0;
};

/// One document of a stream.
struct YamlDocument {
  Document value;
  /// The position of each key or list item by its path: "spec.replicaSpecs[0].type".
  std::map<std::string, Mark> marks;
  std::vector<std::string> warnings;  // about repeated keys
};

/// Returns all non-empty documents of a stream separated by `---`. Errors name line and column and show the line with a
/// caret. YAML 1.1 booleans and octals are read as Kubernetes reads them; anchors and `<<` are expanded within a
/// budget; a key that is repeated with another value is rejected, and the error names both lines.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text);
/// As above, but without marks, and the last value of a repeated key wins, with a warning in Kubernetes' words.
Result<std::vector<YamlDocument>> parse_yaml_leniently(std::string_view text);

/// Writes YAML as kubectl prints `-o yaml`: indented by two spaces, lists not indented, members in the given order.
std::string to_yaml(const Document& document);

}  // namespace muster::json
