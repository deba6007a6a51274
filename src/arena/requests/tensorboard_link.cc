#include "arena/requests/tensorboard_link.h"

#include <fmt/core.h>

#include "arena/requests/find_jobs.h"
#include "cli/objects/tensorboard_service.h"

namespace muster::arena {

namespace {

using json::Document;

/// Returns the address of the load balancer, or of the first node that is ready.
std::string cluster_link(Context& context, const Document& service) {
  const json::Array& ingress = service.array_at("status", "loadBalancer", "ingress");
  if (!ingress.empty() && !ingress.front().string_at("ip").empty()) {
    return fmt::format("http://{}:{}", ingress.front().string_at("ip"), cli::service_port(service, "port"));
  }
  const std::int64_t port = cli::service_port(service, "nodePort");
  const auto nodes = context.session.list({"", "v1", "nodes"}, "", {});
  if (!nodes || port == 0) return "";
  for (const NodeUse& node : node_use(nodes->array_at("items"), {})) {
    if (node.is_ready) return fmt::format("http://{}:{}", node.ip, port);
  }
  return "";
}

}  // namespace

std::string tensorboard_link(Context& context, const Job& job) {
  const auto service = cli::arena_tensorboard_service(context.session, job.ns, job.name);
  if (!service || service->is_null()) return "";
  cli::Session& session = context.session;
  const client::ResourceName pages("muster.dev", "v1", "tensorboards");
  const auto link = session.await([&](client::OnDocument done) {
    session.api().create_subresource({pages, job.ns, cli::arena_tensorboard_name(job.name), "link"}, json::Object{},
                                     std::move(done));
  });
  return link ? link->string_at("url") : cluster_link(context, *service);
}

}  // namespace muster::arena
