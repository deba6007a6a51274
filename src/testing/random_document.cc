#include "testing/random_document.h"

#include <fmt/core.h>

#include <algorithm>

namespace muster::api {

using reflect::FieldDesc;
using reflect::Shape;
using reflect::TypeDesc;

std::string DocumentMaker::fresh_word() {
  return fmt::format("w{}", ++words_);
}

json::Document DocumentMaker::text(const FieldDesc* field) {
  if (field != nullptr && !field->one_of.empty()) {
    const std::string& word = field->one_of[below(field->one_of.size())];
    return word.empty() ? field->one_of.back() : word;  // an empty value would be lost in encoding
  }
  if (field != nullptr && field->matches != nullptr) {
    if (field->matches("w1")) return fresh_word();
    for (const char* candidate : {"4", "/a", "1d", "* * * * *", "t9k://pvc/a/b"}) {
      if (field->matches(candidate)) return candidate;
    }
  }
  return fresh_word();
}

json::Document DocumentMaker::number(const FieldDesc* field) {
  const std::int64_t low = std::max<std::int64_t>(1, field == nullptr ? 1 : field->min.value_or(1));
  const std::int64_t high =
      std::min<std::int64_t>(low + 1000, field == nullptr ? low : field->max.value_or(low + 1000));
  return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
}

json::Document DocumentMaker::value(const FieldDesc* field, const TypeDesc& type) {
  switch (type.shape) {
    case Shape::kString:
    case Shape::kIntOrString:
      return text(field);
    case Shape::kBool:
      return true;
    case Shape::kInt32:
    case Shape::kInt64:
      return number(field);
    case Shape::kNumber:
      return 0.25 + static_cast<double>(below(100));
    case Shape::kQuantity:
      return pick({"4Gi", "500m", "8G", "16", "1536Mi", "100M"});
    case Shape::kTime:
      return pick({"2026-11-15T21:30:36Z", "1999-12-31T23:59:59Z"});
    case Shape::kMicroTime:
      return "2026-11-15T21:30:36.000123Z";
    case Shape::kBytes:
      return pick({"aGVsbG8=", "AAAA"});
    case Shape::kAny:
      return json::Object{{fresh_word(), json::Array{1, "two", nullptr}}};
    case Shape::kArray: {
      json::Array items;
      for (auto left = 1 + below(3); left > 0; --left) {
        json::Document item = type.element().shape == Shape::kString ? text(field) : value(nullptr, type.element());
        // Role names come from a short list, and each may appear only once.
        const bool is_new = field == nullptr || field->list_map_key.empty() ||
                            std::ranges::none_of(items, [&](const json::Document& other) {
                              return *other.find(field->list_map_key) == *item.find(field->list_map_key);
                            });
        if (is_new) items.push_back(std::move(item));
      }
      return items;
    }
    case Shape::kMap: {
      json::Object members;
      for (auto left = 1 + below(3); left > 0; --left) members.set(fresh_word(), value(nullptr, type.element()));
      return members;
    }
    case Shape::kObject:
      return make(type);
  }
  return {};
}

json::Document DocumentMaker::make(const TypeDesc& type) {
  json::Object out;
  for (const FieldDesc& field : type.fields) {
    if (!field.constant.empty()) {
      out.append(field.name, field.constant);
      continue;
    }
    const bool needed = field.required || field.always_written;
    if (!needed && below(3) == 0) continue;
    json::Document member = value(&field, field.type());
    const bool empty = member.is_object() && member.as_object().empty();
    if (empty && !needed && !field.optional_member) continue;
    out.append(field.name, std::move(member));
  }
  if (type.rest != nullptr && !type.known_names.empty() && below(2) == 0) {
    out.set(type.known_names[below(type.known_names.size())], json::Object{{fresh_word(), 1}});
  }
  return out;
}

}  // namespace muster::api
