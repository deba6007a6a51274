#include "apiserver/list/read.h"

#include <fmt/core.h>

#include "api/versions.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/list/page.h"
#include "apiserver/print/table.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::string table_list(const Context& context, const api::Resource& resource, const Form& form, Listed listed) {
  json::Array rows;
  const Time now = context.loop.now();
  for (const store::Bytes& item : listed.items) {
    if (auto object = json::parse(*item)) {
      api::to_asked_version(resource, *object);
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
