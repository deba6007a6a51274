#include "apiserver/read.h"

#include <fmt/core.h>

#include "apiserver/handlers.h"
#include "apiserver/status_error.h"
#include "apiserver/table.h"
#include "apiserver/versions.h"
#include "apiserver/writes.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

/// `limit` is not followed: every list is whole, on one snapshot, which the API allows. So no continue token is ever
/// given, and one that comes in is from elsewhere.
Status check_list_parameters(const Query& query, const std::optional<store::Revision>& revision,
                             store::Revision current) {
  if (query.has("continue") && !query.get("continue").empty()) {
    return bad_request(
        "invalid continue token: continue key is not valid: lists here are never cut, so none was given");
  }
  if (revision && *revision > current) return too_large(*revision, current);
  const std::string_view match = query.get("resourceVersionMatch");
  if (match.empty()) return ok();
  const std::string field = "resourceVersionMatch";
  if (!revision) {
    return invalid_options(
        "ListOptions",
        {forbidden_value(field, "resourceVersionMatch is forbidden unless resourceVersion is provided")});
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return invalid_options("ListOptions", {unsupported_value(field, quote(match), {"Exact", "NotOlderThan"})});
  }
  if (match == "Exact" && *revision == 0) {
    return invalid_options(
        "ListOptions",
        {forbidden_value(field, "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"")});
  }
  if (match == "Exact" && *revision != current) {
    return expired(fmt::format("The resourceVersion for the provided list is too old: {} ({})", *revision, current));
  }
  return ok();
}

json::Object list_metadata(store::Revision revision) {
  json::Object metadata;
  metadata.append("resourceVersion", std::to_string(revision));
  return metadata;
}

std::string table_list(const Context& context, const api::Resource& resource, const Form& form,
                       const Selection& selection) {
  json::Array rows;
  const Time now = context.loop.now();
  scan(context, selection, [&](const store::Key&, const store::Entry& entry) {
    if (auto object = json::parse(*entry.bytes)) {
      to_asked_version(resource, *object);
      rows.push_back(table_row(resource, *object, form.row_object, form.version, now));
    }
  });
  return json::serialize(make_table(resource, form, list_metadata(context.store.revision()), std::move(rows)));
}

std::string metadata_list(const Context& context, const Form& form, const Selection& selection) {
  json::Array items;
  scan(context, selection, [&](const store::Key&, const store::Entry& entry) {
    if (const auto object = json::parse(*entry.bytes)) items.push_back(partial_metadata(*object, form.version));
  });
  return json::serialize(json::Object{{"kind", "PartialObjectMetadataList"},
                                      {"apiVersion", "meta.k8s.io/" + form.version},
                                      {"metadata", list_metadata(context.store.revision())},
                                      {"items", std::move(items)}});
}

/// Stored bytes one after the other: nothing is parsed or serialised again.
std::string plain_list(const Context& context, const api::Resource& resource, const Selection& selection) {
  std::string body =
      fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"{}"}},"items":[)",
                  resource.kind, resource.api_version(), context.store.revision());
  bool first = true;
  scan(context, selection, [&](const store::Key&, const store::Entry& entry) {
    if (!first) body += ',';
    first = false;
    append_in_version(resource, *entry.bytes, body);
  });
  return body + "]}";
}

}  // namespace

bool Selection::matches(const store::Key& key, const store::Attributes& attributes) const {
  if (!ns.empty() && key.ns != ns) return false;
  if (!name.empty() && key.name != name) return false;
  return selector.matches(attributes);
}

Result<Selection> parse_selection(const ResourceRequest& request) {
  Selection selection;
  selection.resource = request.resource->qualified_name();
  selection.cluster_scope = request.resource->scope == api::Scope::kCluster;
  selection.ns = request.ns;
  selection.name = request.name;
  TRY(selection.selector.add_labels(request.query.get("labelSelector")));
  TRY(selection.selector.add_fields(request.query.get("fieldSelector"), selection.resource));
  if (selection.name.empty()) selection.name = selection.selector.only_name();
  return selection;
}

void scan(const Context& context, const Selection& selection,
          const std::function<void(const store::Key&, const store::Entry&)>& visit) {
  if (!selection.name.empty() && (selection.cluster_scope || !selection.ns.empty())) {
    const store::Key key{selection.resource, selection.ns, selection.name};
    const store::Entry* entry = context.store.get(key);
    if (entry != nullptr && selection.matches(key, *entry->attributes)) visit(key, *entry);
    return;
  }
  context.store.scan(selection.resource, selection.ns, [&](const store::Key& key, const store::Entry& entry) {
    if (selection.matches(key, *entry.attributes)) visit(key, entry);
  });
}

Result<std::optional<store::Revision>> parse_revision(const Query& query) {
  const std::string_view text = query.get("resourceVersion");
  if (text.empty()) return std::optional<store::Revision>();
  const auto number = parse_int(text);
  if (!number || *number < 0) {
    return bad_request(fmt::format(
        "invalid resource version: resourceVersion: Invalid value: {}: must be a whole number", quote(text)));
  }
  return std::optional(static_cast<store::Revision>(*number));
}

Error too_large(store::Revision asked, store::Revision current) {
  Error error;
  error.reason = Reason::kTimeout;
  error.message = fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current);
  error.retry_after = std::chrono::seconds(1);
  error.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}};
  return error;
}

void get_object(Context& context, const ResourceRequest& request, Reply reply) {
  const store::Entry* entry = context.store.get(key_of(*request.resource, request.ns, request.name));
  if (entry == nullptr) return reply.fail(not_found(*request.resource, request.name));
  reply.object(200, *request.resource, *entry->bytes);
}

void list_objects(Context& context, const ResourceRequest& request, Reply reply) {
  const auto selection = parse_selection(request);
  if (!selection) return reply.fail(selection.error());
  const auto revision = parse_revision(request.query);
  if (!revision) return reply.fail(revision.error());
  const auto allowed = check_list_parameters(request.query, *revision, context.store.revision());
  if (!allowed) return reply.fail(allowed.error());
  switch (reply.form().as) {
    case As::kObject:
      return reply.json(200, plain_list(context, *request.resource, *selection));
    case As::kTable:
      return reply.json(200, table_list(context, *request.resource, reply.form(), *selection));
    case As::kPartialMetadata:
      return reply.json(200, metadata_list(context, reply.form(), *selection));
  }
}

}  // namespace muster::apiserver
