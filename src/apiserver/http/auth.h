// Authentication: who sends a request. The owner shows the token, is this process, or is this user on the Unix socket;
// a service account shows a token of its own. Host and Origin are checked first, so that a page in a browser cannot
// reach the server under another name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/principal.h"
#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

struct Authentication {
  std::string owner_token;
  std::vector<std::string> allowed_hosts;
  /// Whether a token is another one of the owner's, such as that of a browser. Null: there are none.
  std::function<bool(std::string_view token)> is_owners = nullptr;
  /// Finds the account that a token stands for. Null: there are no service accounts.
  std::function<std::optional<ServiceAccount>(std::string_view token)> find_account = nullptr;
};

/// Whether Host and Origin are allowed and the sender shows credentials. Otherwise the body is not even read.
bool knows_sender(const net::Request& head, const Authentication& by);

/// Returns Forbidden for a foreign Host or Origin, for writes by pages of other sites, for impersonation and for peers
/// of the Unix socket from another user namespace; Unauthorized without credentials, unless this request needs
/// none.
Result<Principal> authenticate(const net::Request& request, const Authentication& by);

/// Returns the token with which this process may act for the sender of an authenticated request; "" for a sender whom
/// the connection itself identifies as the owner.
std::string passed_on_token(const net::Request& request);

}  // namespace muster::apiserver
