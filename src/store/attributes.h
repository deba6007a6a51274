// What selectors look at: labels and selectable fields, extracted once per version of an object. There is one for every
// object in memory, so it is one string.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::store {

class Attributes {
 public:
  using Pair = std::pair<std::string, std::string>;
  Attributes() = default;
  Attributes(std::initializer_list<Pair> pairs) {
    for (const auto& [key, value] : pairs) add(key, value);
  }

  void add(std::string_view key, std::string_view value) {
    add_size(key.size());
    add_size(value.size());
    packed_.append(key).append(value);
  }
  /// Gives back what growing left over.
  void shrink() { packed_.shrink_to_fit(); }

  /// visit(key, value) for each, in the order they were added, until it gives false.
  template <typename Visit>
  void each(Visit visit) const {
    const char* at = packed_.data();
    const char* end = at + packed_.size();
    while (at != end) {
      const std::uint32_t key = size_at(at);
      const std::uint32_t value = size_at(at + sizeof key);
      at += sizeof key + sizeof value;
      if (!visit(std::string_view(at, key), std::string_view(at + key, value))) return;
      at += key + value;
    }
  }
  std::optional<std::string_view> find(std::string_view wanted) const {
    std::optional<std::string_view> found;
    each([&](std::string_view key, std::string_view value) {
      if (key == wanted) found = value;
      return !found;
    });
    return found;
  }
  bool operator==(const Attributes&) const = default;

 private:
  void add_size(std::size_t size) {
    const auto narrow = static_cast<std::uint32_t>(size);  // objects are far smaller
    packed_.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  }
  static std::uint32_t size_at(const char* at) {
    std::uint32_t size = 0;
    std::memcpy(&size, at, sizeof size);
    return size;
  }

  std::string packed_;  // for each: length of key, length of value, key, value
};

}  // namespace muster::store
