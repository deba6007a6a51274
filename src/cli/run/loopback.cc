#include "cli/run/loopback.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/node_names.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

using json::Document;

bool is_proxy(const std::string& variable) {
  const std::string name = to_lower(variable);
  return name.ends_with("_proxy") && name != "no_proxy";
}

std::string usual_port(std::string_view scheme) {
  if (scheme == "http") return "80";
  return scheme == "https" ? "443" : "";
}

/// The addresses of the machine that the jobs reach although their network is their own; nullopt when they share the
/// machine's network, or when only the owner may know.
std::optional<std::vector<std::string>> open_ports(Session& session) {
  const auto nodes = session.list({"", "v1", "nodes"}, "", {});
  if (!nodes || nodes->array_at("items").empty()) return std::nullopt;
  const Document& node = nodes->array_at("items").front();
  for (const Document& condition : node.array_at("status", "conditions")) {
    if (condition.string_at("type") != "JobNetworks" || condition.string_at("status") != "True") continue;
    return split(node.string_at("metadata", "annotations", api::kOpenPortsAnnotation), ',');
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> loopback_address(const std::string& variable, std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos && !is_proxy(variable)) return std::nullopt;
  std::string port = scheme == std::string_view::npos ? "" : usual_port(value.substr(0, scheme));
  std::string_view place = scheme == std::string_view::npos ? value : value.substr(scheme + 3);
  place = place.substr(0, place.find_first_of("/?#"));
  if (const std::size_t user = place.rfind('@'); user != std::string_view::npos) place.remove_prefix(user + 1);
  const std::size_t colon = place.find(':');
  if (colon != std::string_view::npos) port = place.substr(colon + 1);
  std::string host{place.substr(0, colon)};
  if (host == "localhost") host = "127.0.0.1";
  if (!host.starts_with("127.") || !parse_int(port)) return std::nullopt;
  return host + ":" + port;
}

std::vector<std::string> loopback_notes(Session& session, const PreparedRun& prepared) {
  std::vector<std::pair<std::string, std::string>> uses;
  const auto look = [&uses](const std::string& variable, const std::string& value) {
    if (const auto address = loopback_address(variable, value)) uses.emplace_back(variable, *address);
  };
  for (const Document& entry : prepared.job.env) look(entry.string_at("name"), entry.string_at("value"));
  for (const Variable& secret : prepared.secrets) look(secret.name, secret.value);
  if (uses.empty()) return {};
  const auto open = open_ports(session);
  if (!open) return {};
  std::vector<std::string> out;
  for (const auto& [variable, address] : uses) {
    if (std::ranges::find(*open, address) != open->end()) continue;
    out.push_back(fmt::format(
        "note: {0} leads to {1}, and a job has a loopback of its own; for this machine's, put network.allow: "
        "[\"{1}\"] into the configuration of the engine and start it again",
        variable, address));
  }
  return out;
}

}  // namespace muster::cli
