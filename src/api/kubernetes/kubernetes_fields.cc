#include "api/kubernetes/kubernetes_fields.h"

#include <algorithm>

#include "base/check.h"

namespace muster::api::kubernetes {
namespace {

void add_names(const Message& message, std::vector<std::string>& names) {
  for (const Field& field : message.fields) {
    if (field.type == Type::kInline) {
      add_names(*field.message, names);
    } else {
      names.emplace_back(field.name);
    }
  }
}

}  // namespace

const Message* find_message(std::string_view api_version, std::string_view kind) {
  const auto found = std::ranges::find_if(kKinds, [&](const Kind& one) {
    // Clients send DeleteOptions in the API version of the group that the request is for.
    return one.message->name == kind && (one.api_version == api_version || kind == "DeleteOptions");
  });
  return found == kKinds.end() ? nullptr : found->message;
}

const Message& message_named(std::string_view name) {
  const auto found = std::ranges::find(kMessages, name, &Message::name);
  CHECK(found != kMessages.end());
  return **found;
}

const Field* find_field(const Message& message, std::string_view name) {
  for (const Field& field : message.fields) {
    if (field.type == Type::kInline) {
      if (const Field* found = find_field(*field.message, name)) return found;
    } else if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

std::vector<std::string> field_names(const Message& message) {
  std::vector<std::string> names;
  add_names(message, names);
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::api::kubernetes
