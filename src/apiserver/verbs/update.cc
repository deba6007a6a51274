#include "apiserver/http/body.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"

namespace muster::apiserver {

void update_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto body = read_body(request, http, warnings);
  if (!body) return reply.fail(body.error());
  const auto right = check_replacement(request, *body, *parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!right) return reply.fail(right.error());
  const auto current = replaced_object(context, request, *body);
  if (!current) return reply.fail(current.error());
  change_object(context, request, Origin::kBody, *current, *std::move(body), *parameters, {}, std::move(reply));
}

}  // namespace muster::apiserver
