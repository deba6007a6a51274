// Authentication. The server accepts requests with the token, from this process, and from this user over the Unix
// socket. Host and Origin are checked first, so that a page in a browser cannot reach it under another name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

/// Whether the sender is one of those three and Host and Origin are allowed. Otherwise the body is not even read.
bool knows_sender(const net::Request& head, const std::string& token, const std::vector<std::string>& allowed_hosts);

/// Returns Forbidden for a foreign Host or Origin, for writes by pages of other sites, and for impersonation, and
/// Unauthorized when there are no credentials. Health checks need none.
Status authenticate(const net::Request& request, const std::string& token,
                    const std::vector<std::string>& allowed_hosts);

}  // namespace muster::apiserver
