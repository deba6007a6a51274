#include "apiserver/errors/status_error.h"
#include "apiserver/list/page.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"

namespace muster::apiserver {

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

}  // namespace muster::apiserver
