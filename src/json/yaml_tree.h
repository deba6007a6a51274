// The nodes of a YAML stream as written: tags and aliases are not resolved yet, and every node has its place.
// yaml_tree.cc, the only file that knows the YAML library, builds the tree; yaml.cc reads it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/yaml_source.h"

namespace muster::json {

struct YamlNode {
  enum class Type { kNull, kScalar, kSequence, kMap, kAlias };

  Type type = Type::kNull;
  Place place;
  std::string tag;   // "?": unquoted, "!": quoted or block, else the explicit tag
  std::string text;  // of a scalar
  bool flow = false;
  std::vector<std::size_t> children;  // of a map: key, value, key, value, …
  std::size_t target = 0;             // of an alias: a node that is complete before it
};

/// One document. Children and aliases are indexes into `nodes`, which are in the order of the text.
struct YamlTree {
  std::vector<YamlNode> nodes;  // the first is the root
};

/// Returns all documents of the stream, including empty ones.
Result<std::vector<YamlTree>> read_yaml_trees(std::string_view text, const YamlSource& source);

}  // namespace muster::json
