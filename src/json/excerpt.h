// Excerpt reads a few members of a JSON object without building the rest of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::json {

/// It is many times faster than `parse`, because it skips everything else. It does not check what it skips, so it is
/// only for text that was parsed or written here before, or that an API server sent.
class Excerpt {
 public:
  /// Takes paths such as "metadata.labels", and reads the whole value at each. No path may be the prefix of another.
  explicit Excerpt(const std::vector<std::string>& paths);

  /// Returns the object with only the requested members.
  Result<Document> read(std::string_view text) const;
  /// Reads a list, in which the paths lead through each object of `items`. Its other members are returned whole.
  Result<Document> read_list(std::string_view text) const;

 private:
  struct Node {
    std::string key;
    std::vector<Node> children;  // empty: the whole value is read
  };
  class Reader;

  Node root_;
  std::size_t leaves_ = 0;
};

}  // namespace muster::json
