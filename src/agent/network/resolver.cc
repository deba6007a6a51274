#include "agent/network/resolver.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace muster::agent {
namespace {

constexpr std::string_view kNameServer = "nameserver";

/// Returns the address of a line `nameserver ADDRESS`; "" for any other line.
std::string_view server_of(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kNameServer)) return "";
  return trim(line.substr(kNameServer.size()));
}

/// Azure's name server is at the address that also hands out credentials; those of other clouds are link-local.
bool is_closed_everywhere(std::string_view server) {
  return server.starts_with("169.254.") || to_lower(server).starts_with("fe80:") || server == "168.63.129.16";
}

}  // namespace

bool needs_forwarder(std::string_view resolv_conf, const std::function<bool(const std::string& address)>& is_own) {
  return std::ranges::any_of(split(resolv_conf, '\n'), [&](const std::string& line) {
    const std::string_view server = server_of(line);
    return !server.empty() && (is_closed_everywhere(server) || is_own(std::string(server)));
  });
}

std::string resolver_text(std::string_view resolv_conf, std::string_view address) {
  if (address.empty()) return std::string(resolv_conf);
  std::string text = std::string(kNameServer) + " " + std::string(address) + "\n";
  for (const std::string& line : split(resolv_conf, '\n')) {
    if (!line.empty() && server_of(line).empty()) text += line + "\n";
  }
  return text;
}

}  // namespace muster::agent
