#include <memory>

#include "apiserver/handlers.h"
#include "apiserver/page.h"
#include "apiserver/remove.h"
#include "apiserver/status_error.h"
#include "apiserver/writes.h"

namespace muster::apiserver {
namespace {

/// Kinds whose deletion answers with the object itself; the others answer with a Status.
bool returns_object(const api::Resource& resource) {
  const std::string name = resource.qualified_name();
  return name == "pods" || name == "services" || name == "persistentvolumeclaims" || name == "persistentvolumes" ||
         name == "serviceaccounts";
}

std::string gone_status(const api::Resource& resource, const std::string& bytes) {
  const auto object = json::parse(bytes);
  json::Object details;
  if (object) details.append("name", object->string_at("metadata", "name"));
  if (!resource.group.empty()) details.append("group", resource.group);
  details.append("kind", resource.plural);
  if (object) details.append("uid", object->string_at("metadata", "uid"));
  return success_status(std::move(details), 0);
}

/// Objects being deleted together; the answer is the list as it was, given when the last one is dealt with.
struct Batch {
  Listed listed;
  std::size_t open = 0;
  std::optional<Error> error;
};

}  // namespace

std::string success_status(json::Object details, int code) {
  json::Object status;
  status.append("kind", "Status");
  status.append("apiVersion", "v1");
  status.append("metadata", json::Object());
  status.append("status", "Success");
  if (!details.empty()) status.append("details", std::move(details));
  if (code != 0) status.append("code", code);
  return json::serialize(status);
}

void delete_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto options = parse_delete_options(http, request.query);
  if (!options) return reply.fail(options.error());
  const api::Resource& resource = *request.resource;
  const bool kept = request.name == "default" || request.name == "kube-system" || request.name == "kube-public";
  if (kept && resource.qualified_name() == "namespaces") {
    return reply.fail(forbidden(resource, request.name, "this namespace may not be deleted"));
  }
  remove_object(context, resource, key_of(resource, request.ns, request.name), *options,
                [&resource, reply = std::move(reply)](Result<Removed> result) {
                  if (!result) return reply.fail(result.error());
                  if (!result->gone || returns_object(resource)) return reply.object(200, resource, result->object);
                  reply.json(200, gone_status(resource, *result->object));
                });
}

void delete_collection(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto options = parse_delete_options(http, request.query);
  if (!options) return reply.fail(options.error());
  const auto selection = parse_selection(request);
  if (!selection) return reply.fail(selection.error());
  const auto page = parse_page(request.query, context.store.revision());
  if (!page) return reply.fail(page.error());
  std::vector<store::Key> keys;
  auto listed = list_page(context, *selection, *page, &keys);
  if (!listed && listed.error().reason == Reason::kExpired) {
    return reply.json(http_code(Reason::kExpired), json::serialize(expired_list(*page)));
  }
  if (!listed) return reply.fail(listed.error());

  const api::Resource& resource = *request.resource;
  auto batch = std::make_shared<Batch>();
  batch->listed = *std::move(listed);
  const auto finish = [&resource, batch, reply] {
    if (batch->error) return reply.fail(*batch->error);
    reply.json(list_response(resource, std::move(batch->listed)));
  };
  if (keys.empty()) return finish();
  batch->open = keys.size();
  for (const store::Key& key : keys) {
    remove_object(context, resource, key, *options, [batch, finish](Result<Removed> result) {
      // Somebody else's deletion of the same object is what was asked for.
      if (!result && result.error().reason != Reason::kNotFound) batch->error = result.error();
      if (--batch->open == 0) finish();
    });
  }
}

}  // namespace muster::apiserver
