#include "apiserver/change.h"
#include "apiserver/handlers.h"
#include "apiserver/metadata_rules.h"
#include "apiserver/ownership.h"
#include "apiserver/status_error.h"
#include "apiserver/stored_object.h"
#include "apiserver/versions.h"
#include "apiserver/writes.h"

namespace muster::apiserver {

Result<Current> current_object(Context& context, const ResourceRequest& request) {
  Current current;
  current.key = key_of(*request.resource, request.ns, request.name);
  const store::Entry* entry = context.store.latest(current.key);
  if (entry == nullptr) return not_found(*request.resource, request.name);
  current.entry = *entry;
  TRY_ASSIGN(current.object, read_stored(current.key, *entry));
  to_asked_version(*request.resource, current.object);
  return current;
}

Result<Current> replaced_object(Context& context, const ResourceRequest& request, const json::Document& sent) {
  auto current = current_object(context, request);
  if (!current && current.error().reason != Reason::kNotFound) return current;
  const std::string uid = current ? current->object.string_at("metadata", "uid") : "";
  TRY(check_uid(*request.resource, request.name, uid, sent));
  return current;
}

void change_object(Context& context, const ResourceRequest& request, Origin origin, const Current& current,
                   json::Document wanted, const WriteParameters& parameters, std::vector<std::string> warnings,
                   Reply reply) {
  const json::Document sent_owners = managed_fields_of(wanted);
  auto admitted = admit_change(context, request, origin, current.object, std::move(wanted), parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!admitted) return reply.fail(admitted.error());
  own_change(request, current.object, sent_owners, *admitted, parameters.field_manager, context.loop.now());
  const api::Resource& resource = *request.resource;
  store_change(context, resource, current.key, current.entry, current.object, *std::move(admitted), parameters.dry_run,
               [&resource, reply = std::move(reply)](Result<store::Bytes> result) {
                 if (!result) return reply.fail(result.error());
                 reply.object(200, resource, *result);
               });
}

void update_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(http, warnings);
  if (!body) return reply.fail(body.error());
  const auto right = check_replacement(request, *body, *parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!right) return reply.fail(right.error());
  const auto current = replaced_object(context, request, *body);
  if (!current) return reply.fail(current.error());
  change_object(context, request, Origin::kBody, *current, *std::move(body), *parameters, {}, std::move(reply));
}

}  // namespace muster::apiserver
