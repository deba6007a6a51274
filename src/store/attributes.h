// The labels and selectable fields that selectors match, extracted once per version of an object. Every object in
// memory has one, so it is packed into one string.
#pragma once

#include <cstddef>
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
  /// Releases the capacity that growing left over.
  void shrink() { packed_.shrink_to_fit(); }

  /// Calls visit(key, value) for each attribute in the order they were added, until it returns false.
  template <typename Visit>
  void each(Visit visit) const {
    const char* at = packed_.data();
    const char* end = at + packed_.size();
    while (at != end) {
      const std::size_t key = take_size(at);
      const std::size_t value = take_size(at);
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
  /// Appends the size with seven bits per byte, the lowest first: nearly all sizes take one byte.
  void add_size(std::size_t size) {
    for (; size >= 0x80; size >>= 7) packed_ += static_cast<char>(0x80 | (size & 0x7f));
    packed_ += static_cast<char>(size);
  }
  static std::size_t take_size(const char*& at) {
    std::size_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      size |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return size;
    }
  }

  std::string packed_;  // for each: length of key, length of value, key, value
};

}  // namespace muster::store
