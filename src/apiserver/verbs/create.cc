#include "apiserver/admission/admission.h"
#include "apiserver/apply/ownership.h"
#include "apiserver/http/body.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"

namespace muster::apiserver {

void create_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(request, http, warnings);
  if (!body) return reply.fail(body.error());
  auto object = admit_new(context, request, *std::move(body), *parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!object) return reply.fail(object.error());
  const api::Resource& resource = *request.resource;
  own_new(request, *object, parameters->field_manager, context.loop.now());
  const store::Key key = key_of(resource, request.ns, object->string_at("metadata", "name"));
  store_new(context, resource, key, *std::move(object), parameters->dry_run,
            reply_with_stored(201, resource, std::move(reply)));
}

}  // namespace muster::apiserver
