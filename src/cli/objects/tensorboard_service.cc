#include "cli/objects/tensorboard_service.h"

#include <fmt/core.h>

namespace muster::cli {

std::string arena_tensorboard_name(const std::string& job) {
  return job + "-tensorboard";
}

Result<json::Document> arena_tensorboard_service(Session& session, const std::string& ns, const std::string& job) {
  auto service = session.get({{"", "v1", "services"}, ns, arena_tensorboard_name(job)});
  if (!service && service.error().reason != Reason::kNotFound) return service;
  const bool is_its_own = service && service->string_at("metadata", "labels", "role") == "tensorboard";
  return is_its_own ? *std::move(service) : json::Document();
}

std::int64_t service_port(const json::Document& service, const char* member) {
  const json::Array& ports = service.array_at("spec", "ports");
  return ports.empty() ? 0 : ports.front().int_at(member);
}

std::string path_through_api(const json::Document& service) {
  return fmt::format("/api/v1/namespaces/{}/services/{}:{}/proxy/", service.string_at("metadata", "namespace"),
                     service.string_at("metadata", "name"), service_port(service, "port"));
}

}  // namespace muster::cli
