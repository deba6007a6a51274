#include "apiserver/http/write_parameters.h"
#include "apiserver/patch/patch_request.h"
#include "apiserver/verbs/apply.h"
#include "apiserver/verbs/verbs.h"

namespace muster::apiserver {

void patch_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  if (is_apply(http)) return apply_object(context, request, http, *parameters, std::move(reply));
  std::vector<std::string> warnings;
  const auto patch = read_patch(request, http, warnings);
  if (!patch) return reply.fail(patch.error());
  const auto current = current_object(context, request);
  if (!current) return reply.fail(current.error());
  auto wanted = apply_patch(*patch, request.resource->message(), current->object);
  if (!wanted) return reply.fail(wanted.error());
  change_object(context, request, Origin::kPatch, *current, *std::move(wanted), *parameters, std::move(warnings),
                std::move(reply));
}

}  // namespace muster::apiserver
