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

}  // namespace

bool is_resolver_local(std::string_view resolv_conf) {
  std::size_t servers = 0;
  for (const std::string& line : split(resolv_conf, '\n')) {
    const std::string_view server = server_of(line);
    if (server.empty()) continue;
    if (!server.starts_with("127.") && server != "::1") return false;
    ++servers;
  }
  return servers > 0;
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
