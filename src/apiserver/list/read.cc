#include "apiserver/list/read.h"

#include <fmt/core.h>

#include "apiserver/http/status_error.h"
#include "apiserver/list/page.h"
#include "apiserver/print/table.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "apiserver/versions.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::string table_list(const Context& context, const api::Resource& resource, const Form& form, Listed listed) {
  json::Array rows;
  const Time now = context.loop.now();
  for (const store::Bytes& item : listed.items) {
    if (auto object = json::parse(*item)) {
      to_asked_version(resource, *object);
      rows.push_back(table_row(resource, *object, form.row_object, form.version, now));
    }
  }
  return json::serialize(make_table(resource, form, std::move(listed.metadata), std::move(rows)));
}

std::string metadata_list(const Form& form, Listed listed) {
  json::Array items;
  for (const store::Bytes& item : listed.items) {
    if (const auto object = json::parse(*item)) items.push_back(partial_metadata(*object, form.version));
  }
  return json::serialize(json::Object{{"kind", "PartialObjectMetadataList"},
                                      {"apiVersion", "meta.k8s.io/" + form.version},
                                      {"metadata", std::move(listed.metadata)},
                                      {"items", std::move(items)}});
}

}  // namespace

bool Selection::matches(const store::Key& key, const store::Attributes& attributes) const {
  if (!ns.empty() && key.ns != ns) return false;
  if (!name.empty() && key.name != name) return false;
  return selector.matches(key, attributes);
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
  reply.object(200, *request.resource, entry->bytes);
}

void list_objects(Context& context, const ResourceRequest& request, Reply reply) {
  const auto selection = parse_selection(request);
  if (!selection) return reply.fail(selection.error());
  const auto page = parse_page(request.query, context.store.revision());
  if (!page) return reply.fail(page.error());
  auto listed = list_page(context, *selection, *page);
  if (!listed && listed.error().reason == Reason::kExpired) {
    return reply.json(http_code(Reason::kExpired), json::serialize(expired_list(*page)));
  }
  if (!listed) return reply.fail(listed.error());
  send_list(context, *request.resource, *std::move(listed), reply);
}

void send_list(const Context& context, const api::Resource& resource, Listed listed, const Reply& reply) {
  switch (reply.form().as) {
    case As::kObject:
      return reply.json(list_response(resource, std::move(listed)));
    case As::kTable:
      return reply.json(200, table_list(context, resource, reply.form(), std::move(listed)));
    case As::kPartialMetadata:
      return reply.json(200, metadata_list(reply.form(), std::move(listed)));
  }
}

}  // namespace muster::apiserver
