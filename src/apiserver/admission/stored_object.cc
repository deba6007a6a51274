#include "apiserver/admission/stored_object.h"

#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "json/excerpt.h"

namespace muster::apiserver {
namespace {

using json::Document;

struct Limits {
  std::size_t members = 0;
  int depth = 0;
};

constexpr Limits kAdmitted{kMaxStoredMembers, kMaxStoredDepth};
// What the server adds may use the rest, except room for the revision and for the lists and events around objects.
constexpr Limits kLast{json::kMaxMembers - 10, json::kMaxDepth - 5};
constexpr int kShownLevels = 6;  // of the path to something that is nested too deep

/// A problem and its path. The path is built on the way back, so that the search itself costs nothing.
struct Finding {
  std::string path;
  std::string message;
  std::string reason;
};

std::string with_step(const std::string& step, const std::string& rest) {
  return rest.empty() || rest.front() == '[' ? step + rest : step + "." + rest;
}

class ShapeCheck {
 public:
  explicit ShapeCheck(Limits limits) : limits_(limits) {}

  std::optional<Finding> look(const Document& value, int depth) const {
    if (!value.is_object() && !value.is_array()) return std::nullopt;
    if (depth >= limits_.depth) {
      return Finding{"", fmt::format("Invalid value: nested deeper than {} levels", limits_.depth),
                     "FieldValueInvalid"};
    }
    return value.is_object() ? members(value.as_object(), depth) : items(value.as_array(), depth);
  }

 private:
  std::optional<Finding> members(const json::Object& object, int depth) const {
    if (object.size() > limits_.members) {
      return Finding{"", fmt::format("Too many: {}: must have at most {} items", object.size(), limits_.members),
                     "FieldValueTooMany"};
    }
    for (const json::Member& member : object) {
      // managedFields is derived by the server and slightly larger than what it is derived from.
      const bool ours = depth == 1 && member.key == "managedFields";
      auto found = ours ? ShapeCheck(kLast).look(member.value, depth + 1) : look(member.value, depth + 1);
      if (found) return on_the_way(*std::move(found), member.key, depth);
    }
    return std::nullopt;
  }

  std::optional<Finding> items(const json::Array& array, int depth) const {
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (auto found = look(array[i], depth + 1)) {
        return on_the_way(*std::move(found), fmt::format("[{}]", i), depth);
      }
    }
    return std::nullopt;
  }

  static Finding on_the_way(Finding found, const std::string& step, int depth) {
    if (depth < kShownLevels) found.path = with_step(step, found.path);
    return found;
  }

  Limits limits_;
};

}  // namespace

Status check_shape(const api::Resource& resource, const Document& object) {
  const bool deleting = !object.string_at("metadata", "deletionTimestamp").empty();
  const auto found = ShapeCheck(deleting ? kLast : kAdmitted).look(object, 0);
  if (!found) return ok();
  return invalid(resource, object.string_at("metadata", "name"), {{found->reason, found->message, found->path}});
}

Result<Document> read_stored(const store::Key& key, const store::Entry& entry) {
  auto parsed = json::parse(*entry.bytes);
  if (parsed) return parsed;
  return Error{
      .reason = Reason::kInternalError,
      .message = fmt::format("{} {}: the stored object cannot be read ({}); delete it", key.resource,
                             quote(key.ns.empty() ? key.name : key.ns + "/" + key.name), parsed.error().message)};
}

Result<Document> read_identity(const store::Entry& entry) {
  static const json::Excerpt identity({"kind", "apiVersion", "metadata.name", "metadata.namespace", "metadata.uid",
                                       "metadata.resourceVersion", "metadata.creationTimestamp"});
  return identity.read(*entry.bytes);
}

}  // namespace muster::apiserver
