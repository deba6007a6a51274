#include "apiserver/apply/managed_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "base/strings.h"

namespace muster::apiserver::apply {
namespace {

using json::Document;

constexpr std::ptrdiff_t kMaxUpdaters = 10;
constexpr std::string_view kAncient = "ancient-changes";

Error invalid_entries(std::string message) {
  Error error;
  error.reason = Reason::kBadRequest;
  error.message = std::move(message);
  return error;
}

/// Removes the fields that a writer cannot own in this scope.
void limit(const Scope& scope, FieldSet& fields) {
  if (fields.empty()) return;
  for (const std::string& element : scope.unowned) fields.erase(element);
  for (const std::string_view element : {"f:apiVersion", "f:kind", "f:metadata"}) fields.erase_member({element});
  for (const std::string_view element : {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid",
                                         "f:generation", "f:managedFields", "f:resourceVersion"}) {
    fields.erase_member({"f:metadata", element});
  }
}

Changes limited_changes(const Scope& scope, const Document& before, const Document& after) {
  Changes changes = compare(scope.schema, before, after);
  limit(scope, changes.added);
  limit(scope, changes.modified);
  limit(scope, changes.removed);
  return changes;
}

Owner* find_owner(Owners& owners, const Owner& wanted) {
  const auto found = std::ranges::find_if(owners, [&](const Owner& owner) { return owner.same_as(wanted); });
  return found == owners.end() ? nullptr : &*found;
}

void drop_empty(Owners& owners) {
  std::erase_if(owners, [](const Owner& owner) { return owner.fields.empty(); });
}

/// Clients that use a new manager name for every write must not make the object grow without bound: the oldest writers
/// are merged into one entry.
void cap_updaters(Owners& owners) {
  const auto is_update = [](const Owner& owner) { return owner.operation == kUpdate; };
  while (std::ranges::count_if(owners, is_update) > kMaxUpdaters) {
    Owner* oldest = nullptr;
    for (Owner& owner : owners) {
      if (!is_update(owner) || owner.manager == kAncient) continue;
      if (oldest == nullptr || std::tie(owner.time, owner.manager) < std::tie(oldest->time, oldest->manager)) {
        oldest = &owner;
      }
    }
    if (oldest == nullptr) return;
    Owner ancient = *oldest;
    ancient.manager = kAncient;
    ancient.subresource.clear();
    oldest->fields = {};
    if (Owner* bucket = find_owner(owners, ancient)) {
      bucket->fields = unite(bucket->fields, ancient.fields);
      bucket->time = ancient.time;
      drop_empty(owners);
    } else {
      drop_empty(owners);
      owners.push_back(std::move(ancient));
      // The merged entry counts too, so one more writer must go into it.
    }
  }
}

std::string describe(const Owner& owner) {
  std::string text = quote(owner.manager);
  if (!owner.subresource.empty()) text += fmt::format(" with subresource {}", quote(owner.subresource));
  if (owner.operation == kUpdate) text += fmt::format(" using {}", owner.api_version);
  return text;
}

struct Clash {
  std::string owner;
  std::vector<std::string> paths;
};

Error apply_conflict(const std::vector<Clash>& clashes) {
  Error error;
  error.reason = Reason::kConflict;
  std::vector<std::string> lines;
  for (const Clash& clash : clashes) {
    lines.push_back(fmt::format("conflicts with {}:", clash.owner));
    for (const std::string& path : clash.paths) {
      lines.push_back("- " + path);
      error.causes.push_back({"FieldManagerConflict", "conflict with " + clash.owner, path});
    }
  }
  if (error.causes.size() == 1) {
    error.message =
        fmt::format("Apply failed with 1 conflict: conflict with {}: {}", clashes[0].owner, clashes[0].paths[0]);
  } else {
    error.message = fmt::format("Apply failed with {} conflicts: {}", error.causes.size(), join(lines, "\n"));
  }
  return error;
}

/// Removes from `merged` the fields that the applier named last time and no longer names, unless a manager owns them or
/// something below them. `named` also has fields that cannot be owned, such as the name: these keep metadata in place.
Document without_dropped(const MergeSchema& schema, const Document& merged, const FieldSet& last, const FieldSet& named,
                         const Owners& owners) {
  const FieldSet all_last = with_declared_parents(schema, last);
  Document pruned = merged;
  remove_fields(schema, pruned, all_last);

  FieldSet owned = named;
  for (const Owner& owner : owners) owned = unite(owned, owner.fields);
  const FieldSet in_merged = with_declared_parents(schema, extract_fields(schema, merged));
  const FieldSet in_pruned = with_declared_parents(schema, extract_fields(schema, pruned));
  const FieldSet kept = unite(in_pruned, with_declared_parents(schema, owned));
  Document with_owned = merged;
  remove_fields(schema, with_owned, subtract(in_merged, kept));

  // Removing a parent also removed fields that nobody owns and the applier never named; these are restored.
  const FieldSet still = with_declared_parents(schema, extract_fields(schema, with_owned));
  Document out = merged;
  remove_fields(schema, out, intersect(subtract(in_merged, still), all_last));
  return out;
}

/// The owners of fields that the applier would change, by name, so that the response does not depend on times.
std::vector<Clash> clashes_of(const Owners& owners, const Owner& applier, const FieldSet& changed) {
  std::vector<Clash> clashes;
  for (const Owner& owner : owners) {
    if (owner.same_as(applier)) continue;
    const FieldSet shared = intersect(owner.fields, changed);
    if (shared.empty()) continue;
    Clash clash{describe(owner), {}};
    shared.each_path([&](const std::string& path) { clash.paths.push_back(path); });
    clashes.push_back(std::move(clash));
  }
  std::ranges::sort(clashes, {}, &Clash::owner);
  return clashes;
}

}  // namespace

bool Owner::same_as(const Owner& other) const {
  return manager == other.manager && operation == other.operation && subresource == other.subresource &&
         (operation == kApply || api_version == other.api_version);
}

Result<Owners> decode_owners(const Document& managed_fields) {
  if (!managed_fields.is_array()) return invalid_entries("metadata.managedFields: must be a list");
  Owners owners;
  for (const Document& entry : managed_fields.as_array()) {
    Owner owner;
    owner.manager = entry.string_at("manager");
    owner.operation = entry.string_at("operation");
    owner.api_version = entry.string_at("apiVersion");
    owner.subresource = entry.string_at("subresource");
    owner.time = entry.string_at("time");
    if (owner.operation != kApply && owner.operation != kUpdate) {
      return invalid_entries(
          fmt::format("metadata.managedFields: operation must be Apply or Update, got {}", quote(owner.operation)));
    }
    if (const Document* fields = entry.find("fieldsV1")) {
      TRY_ASSIGN(owner.fields, FieldSet::from_fields_v1(*fields));
    }
    owners.push_back(std::move(owner));
  }
  return owners;
}

Document encode_owners(Owners owners) {
  std::ranges::sort(owners, [](const Owner& a, const Owner& b) {
    return std::tie(a.operation, a.time, a.manager, a.api_version, a.subresource) <
           std::tie(b.operation, b.time, b.manager, b.api_version, b.subresource);
  });
  json::Array entries;
  entries.reserve(owners.size());
  for (Owner& owner : owners) {
    json::Object entry = {
        {"manager", owner.manager}, {"operation", owner.operation}, {"apiVersion", owner.api_version}};
    if (!owner.time.empty()) entry.append("time", owner.time);
    entry.append("fieldsType", "FieldsV1");
    entry.append("fieldsV1", to_fields_v1(std::move(owner.fields)));
    if (!owner.subresource.empty()) entry.append("subresource", owner.subresource);
    entries.push_back(std::move(entry));
  }
  return entries;
}

Owners after_update(const Scope& scope, const Document& before, const Document& after, Owners owners, Owner writer) {
  Changes changes = limited_changes(scope, before, after);
  writer.fields = unite(std::move(changes.added), changes.modified);
  if (writer.fields.empty() && changes.removed.empty()) return owners;
  if (!owners.empty()) {
    const FieldSet touched = unite(writer.fields, changes.removed);
    for (Owner& owner : owners) owner.fields = subtract(owner.fields, touched);
  }
  if (!writer.fields.empty()) {
    if (Owner* known = find_owner(owners, writer)) {
      known->fields = unite(known->fields, writer.fields);
      known->time = writer.time;
    } else {
      owners.push_back(std::move(writer));
    }
  }
  drop_empty(owners);
  cap_updaters(owners);
  return owners;
}

Result<Applied> apply(const Scope& scope, const Document& live, const Owners& owners, Application application) {
  Owner& applier = application.applier;
  Applied out{merge(scope.schema, live, application.config), owners};
  const FieldSet named = extract_fields(scope.schema, application.known);
  applier.fields = named;
  limit(scope, applier.fields);
  Owner* previous = find_owner(out.owners, applier);
  const std::string last_time = previous == nullptr ? "" : previous->time;
  const FieldSet last = previous == nullptr ? FieldSet() : previous->fields;
  if (previous == nullptr) {
    out.owners.push_back(applier);
  } else {
    *previous = applier;
  }
  if (!last.empty()) out.object = without_dropped(scope.schema, out.object, last, named, out.owners);

  const Changes changes = limited_changes(scope, live, out.object);
  const FieldSet changed = unite(changes.added, changes.modified);
  const std::vector<Clash> clashes = clashes_of(owners, applier, subtract(changed, application.yielding));
  if (!clashes.empty() && !application.force) return apply_conflict(clashes);
  const FieldSet touched = unite(changed, changes.removed);
  for (Owner& owner : out.owners) {
    if (!owner.same_as(applier)) owner.fields = subtract(owner.fields, touched);
  }
  // An apply that changes nothing keeps its time, so that applying the same configuration again writes nothing.
  if (out.object == live) find_owner(out.owners, applier)->time = last_time;
  drop_empty(out.owners);
  cap_updaters(out.owners);
  return out;
}

}  // namespace muster::apiserver::apply
