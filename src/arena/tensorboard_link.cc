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

Result<Document> tensorboard_service(Context& context, const Job& job) {
  auto service = context.session.get({{"", "v1", "services"}, job.ns, tensorboard_name(job.name)});
  if (!service && service.error().reason != Reason::kNotFound) return service;
  const bool is_its_own = service && service->string_at("metadata", "labels", "role") == "tensorboard";
  return is_its_own ? *std::move(service) : Document();
}

std::string path_through_api(const Document& service) {
  return fmt::format("/api/v1/namespaces/{}/services/{}:{}/proxy/", service.string_at("metadata", "namespace"),
                     service.string_at("metadata", "name"), port_at(service, "port"));
}

std::string tensorboard_link(Context& context, const Job& job) {
  const auto service = tensorboard_service(context, job);
  if (!service || service->is_null()) return "";
  cli::Session& session = context.session;
  const client::ResourceName pages("muster.dev", "v1", "tensorboards");
  const auto link = session.await([&](client::OnDocument done) {
    session.api().create_subresource({pages, job.ns, tensorboard_name(job.name), "link"}, json::Object{},
                                     std::move(done));
  });
  return link ? link->string_at("url") : cluster_link(context, *service);
}

}  // namespace muster::arena
