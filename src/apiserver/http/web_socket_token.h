// The credentials of pages in a browser, which cannot set the Authorization header of a WebSocket.
#pragma once

#include <string>

#include "net/http.h"

namespace muster::apiserver {

/// Returns the token that a WebSocket handshake offers as the subprotocol
/// base64url.bearer.authorization.k8s.io.TOKEN; "" when there is none.
std::string web_socket_token(const net::Headers& headers);

}  // namespace muster::apiserver
