#include "agent/probes/http_redirect.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::agent {
namespace {

/// Reads HOST[:PORT] into `to`, whose scheme is known.
bool take_authority(std::string_view text, ProbeAddress& to) {
  if (text.find('@') != std::string_view::npos) return false;
  const bool is_v6 = text.starts_with('[');
  const std::size_t end = is_v6 ? text.find(']') : text.find(':');
  if (is_v6 && end == std::string_view::npos) return false;
  const std::size_t colon = is_v6 ? end + 1 : end;
  to.host = std::string(is_v6 ? text.substr(1, end - 1) : text.substr(0, end));
  to.port = to.tls ? 443 : 80;
  if (colon < text.size()) {
    const auto port = text[colon] == ':' ? parse_int(text.substr(colon + 1)) : std::nullopt;
    if (!port || *port < 1 || *port > 65535) return false;
    to.port = static_cast<int>(*port);
  }
  return !to.host.empty();
}

}  // namespace

std::string ProbeAddress::url() const {
  return fmt::format("{}://{}:{}{}", tls ? "https" : "http", host, port, target);
}

std::optional<ProbeAddress> redirected(const ProbeAddress& from, std::string_view location) {
  location = location.substr(0, location.find('#'));
  ProbeAddress to = from;
  const std::size_t scheme = location.find("://");
  if (scheme != std::string_view::npos && location.find_first_of("/?") > scheme) {
    const std::string name = to_lower(location.substr(0, scheme));
    if (name != "http" && name != "https") return std::nullopt;
    to.tls = name == "https";
    location.remove_prefix(scheme + 1);
  }
  if (location.starts_with("//")) {
    location.remove_prefix(2);
    const std::size_t end = std::min(location.find_first_of("/?"), location.size());
    if (!take_authority(location.substr(0, end), to)) return std::nullopt;
    location.remove_prefix(end);
    to.target = location.starts_with('/') ? std::string(location) : "/" + std::string(location);
  } else if (location.starts_with('/')) {
    to.target = std::string(location);
  } else if (!location.empty()) {
    const std::string path = from.target.substr(0, from.target.find('?'));
    to.target = location.starts_with('?') ? path : path.substr(0, path.rfind('/') + 1);
    to.target.append(location);
  }
  return to;
}

}  // namespace muster::agent
