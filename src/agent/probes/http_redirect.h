// Where a redirect of a probe's request leads. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

struct ProbeAddress {
  bool tls = false;
  std::string host;
  int port = 0;
  std::string target;  // path and query
  bool operator==(const ProbeAddress&) const = default;

  std::string url() const;
};

/// Returns where a Location header leads from `from`; nullopt when it is not an address of HTTP.
std::optional<ProbeAddress> redirected(const ProbeAddress& from, std::string_view location);

}  // namespace muster::agent
