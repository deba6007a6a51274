// Who may speak to the server: the holder of the token, this process, and this user over the Unix socket. Host and
// Origin are checked first, so that a page in a browser cannot reach the server under another name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

/// Whether the sender is one of those three, under a Host and Origin that are allowed. Nobody else gets a body read.
bool knows_sender(const net::Request& head, const std::string& token, const std::vector<std::string>& allowed_hosts);

/// Forbidden for a foreign Host or Origin, for pages of other sites that write, and for impersonation; Unauthorized
/// without credentials. Health checks need none.
Status authenticate(const net::Request& request, const std::string& token,
                    const std::vector<std::string>& allowed_hosts);

}  // namespace muster::apiserver
