#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/handlers.h"
#include "apiserver/page.h"
#include "apiserver/remove.h"
#include "apiserver/status_error.h"
#include "apiserver/writes.h"

namespace muster::apiserver {
namespace {

std::string gone_status(const api::Resource& resource, const std::string& bytes) {
  const auto object = json::parse(bytes);
  json::Object details;
  if (object) details.append("name", object->string_at("metadata", "name"));
  if (!resource.group.empty()) details.append("group", resource.group);
  details.append("kind", resource.plural);
  if (object) details.append("uid", object->string_at("metadata", "uid"));
  return success_status(std::move(details), 0);
}

constexpr std::size_t kClearedAtOnce = 64;  // deletions in one turn of the loop

/// Deletes a collection in batches. The response is the list as it was before, sent when the last deletion is done.
struct Clearing : std::enable_shared_from_this<Clearing> {
  Clearing(Context& c, const api::Resource& r, DeleteOptions o, Reply to)
      : context(c), alive(c.alive), resource(r), options(std::move(o)), reply(std::move(to)) {}

  Context& context;
  std::shared_ptr<const bool> alive;  // of the server, and so of the context
  const api::Resource& resource;
  DeleteOptions options;
  Reply reply;
  Listed listed;
  std::vector<store::Key> keys;
  std::size_t next = 0;
  std::size_t open = 0;  // deletions of this turn that are not done yet
  std::optional<Error> error;

  void go_on() {
    if (next == keys.size()) return answer();
    const std::size_t end = std::min(keys.size(), next + kClearedAtOnce);
    open = end - next;
    for (std::size_t i = std::exchange(next, end); i < end; ++i) {
      remove_object(context, resource, keys[i], options, [self = shared_from_this()](Result<Removed> result) {
        // Another client deleted the object meanwhile, which is what was asked for.
        if (!result && result.error().reason != Reason::kNotFound) self->error = result.error();
        if (--self->open == 0) self->go_on_later();
      });
    }
  }
  void go_on_later() {
    if (!*alive) return;
    context.loop.post([self = shared_from_this()] {
      if (*self->alive) self->go_on();
    });
  }
  void answer() {
    if (error) return reply.fail(*error);
    reply.json(list_response(resource, std::move(listed)));
  }
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
                  if (!result->gone || resource.returned_by_delete) {
                    return reply.object(200, resource, result->object);
                  }
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

  auto clearing = std::make_shared<Clearing>(context, *request.resource, *options, std::move(reply));
  clearing->listed = *std::move(listed);
  clearing->keys = std::move(keys);
  clearing->go_on();
}

}  // namespace muster::apiserver
