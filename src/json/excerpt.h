// Excerpt: a few members of a JSON object, read without building the rest of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::json {

/// Many times faster than `parse`, because what is not asked for is skipped. It is not checked either: for text that
/// was parsed or written here before.
class Excerpt {
 public:
  /// Paths like "metadata.labels"; what they lead to is read whole. None leads through another.
  explicit Excerpt(const std::vector<std::string>& paths);

  /// The object with just those of its members that are asked for.
  Result<Document> read(std::string_view text) const;

 private:
  struct Node {
    std::string key;
    std::vector<Node> children;  // none: the value is read whole
  };
  class Reader;

  Node root_;
  std::size_t leaves_ = 0;
};

}  // namespace muster::json
