#include "apiserver/http/web_socket_token.h"

#include <algorithm>

#include "base/strings.h"
#include "net/web_socket.h"

namespace muster::apiserver {

std::string web_socket_token(const net::Headers& headers) {
  constexpr std::string_view prefix = "base64url.bearer.authorization.k8s.io.";
  if (!net::asks_for_upgrade(headers)) return "";
  for (std::string& protocol : net::offered_protocols(headers)) {
    if (!protocol.starts_with(prefix)) continue;
    std::string text = protocol.substr(prefix.size());  // base64url without padding
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return base64_decode(text).value_or("");
  }
  return "";
}

}  // namespace muster::apiserver
