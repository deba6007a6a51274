#include "arena/tensorboard_link.h"

#include <fmt/core.h>

#include "arena/find_jobs.h"

namespace muster::arena {

namespace {

using json::Document;

std::int64_t port_at(const Document& service, const char* member) {
  const json::Array& ports = service.array_at("spec", "ports");
  return ports.empty() ? 0 : ports.front().int_at(member);
}

/// Returns the address of the load balancer, or of the first node that is ready.
std::string cluster_link(Context& context, const Document& service) {
  const json::Array& ingress = service.array_at("status", "loadBalancer", "ingress");
  if (!ingress.empty() && !ingress.front().string_at("ip").empty()) {
    return fmt::format("http://{}:{}", ingress.front().string_at("ip"), port_at(service, "port"));
  }
  const std::int64_t port = port_at(service, "nodePort");
  const auto nodes = context.session.list({"", "v1", "nodes"}, "", {});
  if (!nodes || port == 0) return "";
  for (const NodeUse& node : node_use(nodes->array_at("items"), {})) {
    if (node.is_ready) return fmt::format("http://{}:{}", node.ip, port);
  }
  return "";
}

}  // namespace

std::string tensorboard_name(const std::string& job) {
  return job + "-tensorboard";
}

std::string tensorboard_link(Context& context, const Job& job) {
  const std::string name = tensorboard_name(job.name);
  cli::Session& session = context.session;
  const auto service = session.get({{"", "v1", "services"}, job.ns, name});
  if (!service || service->string_at("metadata", "labels", "role") != "tensorboard") return "";
  const client::ResourceName pages("muster.dev", "v1", "tensorboards");
  const auto link = session.await([&](client::OnDocument done) {
    session.api().create_subresource({pages, job.ns, name, "link"}, json::Object{}, std::move(done));
  });
  return link ? link->string_at("url") : cluster_link(context, *service);
}

}  // namespace muster::arena
