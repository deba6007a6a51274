// The parts of a web hook's URL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::notify {

struct Url {
  bool tls = true;
  std::string host;  // in lower case; an IPv6 address without brackets
  int port = 443;
  std::string target;  // path and query, at least "/"
};

/// nullopt for anything but http and https, and for a URL with a user in it.
std::optional<Url> parse_url(std::string_view text);

}  // namespace muster::notify
