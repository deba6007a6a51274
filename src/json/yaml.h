// YAML to Document as Kubernetes reads it, with the position of every node kept for error messages.
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
  /// "spec.replicaSpecs[0].type" -> where that key (or list item) stands.
  std::map<std::string, Mark> marks;
  std::vector<std::string> warnings;  // repeated keys
};

/// All non-empty documents of a stream separated by `---`. Errors name line and column and show the line with a caret.
/// YAML 1.1 booleans and octals are read as Kubernetes reads them; anchors and `<<` are expanded within a budget; a key
/// that is repeated with another value is refused with both lines.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text);
/// The same, but of a key that is repeated the last value counts, with a warning in Kubernetes' words.
Result<std::vector<YamlDocument>> parse_yaml_leniently(std::string_view text);

/// The way kubectl prints `-o yaml`: two-space indent, lists not indented, members sorted as given.
std::string to_yaml(const Document& document);

}  // namespace muster::json
