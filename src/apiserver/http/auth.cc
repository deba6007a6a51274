#include "apiserver/http/auth.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/access/authorize.h"
#include "apiserver/access/token.h"
#include "apiserver/http/web_socket_token.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

Error refused(Reason reason, std::string message) {
  Error error;
  error.reason = reason;
  error.message = std::move(message);
  return error;
}

/// Whether a page of another site in the user's browser sent a request that could write. Only browsers send
/// Sec-Fetch-Site.
bool is_cross_site(const net::Request& request) {
  const std::string_view site = request.headers.get("Sec-Fetch-Site");
  const bool reads = request.method == "GET" || request.method == "HEAD";
  return !reads && !site.empty() && site != "same-origin" && site != "none";
}

/// Returns the name of the header that requests impersonation; "" when there is none.
std::string_view impersonation_in(const net::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (to_lower(name).starts_with("impersonate-")) return name;
  }
  return "";
}

/// Rejects requests from other user namespaces, under a foreign host name, from pages of other sites, and
/// impersonation.
Status check_origin(const net::Request& request, const std::vector<std::string>& allowed_hosts) {
  if (request.peer.in_process) return ok();
  if (request.peer.unix_socket_other_namespace) {
    // Inside a user namespace of its own, a pod's process has the user id of the engine, but it is not its owner.
    return refused(Reason::kForbidden,
                   "api.sock: the peer is in another user namespace, such as a container; use HTTPS and a token");
  }
  const std::string_view host = request.headers.get("Host");
  if (!request.peer.unix_socket_same_user) {
    const auto name = net::host_name(host);
    if (!name || std::ranges::find(allowed_hosts, *name) == allowed_hosts.end()) {
      return refused(Reason::kForbidden, fmt::format("Host: {} is not a name of this server", quote(host)));
    }
  }
  if (request.headers.has("Origin")) {
    const std::string_view origin = request.headers.get("Origin");
    const std::size_t scheme = origin.find("://");
    const bool same = scheme != std::string_view::npos && to_lower(origin.substr(scheme + 3)) == to_lower(host);
    if (!same) return refused(Reason::kForbidden, fmt::format("Origin: {} may not use this server", quote(origin)));
  }
  if (is_cross_site(request)) return refused(Reason::kForbidden, "cross-site request refused");
  if (const std::string_view asked = impersonation_in(request.headers); !asked.empty()) {
    return refused(Reason::kForbidden,
                   fmt::format("{}: requests in the name of another user are not supported; omit --as, --as-group "
                               "and --as-uid",
                               asked));
  }
  return ok();
}

std::string bearer_token(const net::Request& request) {
  constexpr std::string_view bearer = "bearer ";
  const std::string_view given = request.headers.get("Authorization");
  const bool is_bearer = given.size() > bearer.size() && to_lower(given.substr(0, bearer.size())) == bearer;
  return is_bearer ? std::string(trim(given.substr(bearer.size()))) : web_socket_token(request.headers);
}

Principal identify(const net::Request& request, const Authentication& by) {
  if (request.peer.unix_socket_same_user) return owner();
  const std::string token = bearer_token(request);
  // A token here is that of the sender for whom this process acts.
  if (request.peer.in_process && token.empty()) return owner();
  if (!by.owner_token.empty() && same_secret(token, by.owner_token)) return owner();
  if (token.empty()) return {};
  if (by.is_owners && by.is_owners(token)) return owner();
  if (!by.find_account) return {};
  auto account = by.find_account(token);
  return account ? service_account(*std::move(account)) : Principal();
}

bool is_stranger(const Principal& principal) {
  return principal.kind == Principal::Kind::kStranger;
}

}  // namespace

bool knows_sender(const net::Request& head, const Authentication& by) {
  return check_origin(head, by.allowed_hosts) && !is_stranger(identify(head, by));
}

Result<Principal> authenticate(const net::Request& request, const Authentication& by) {
  TRY(check_origin(request, by.allowed_hosts));
  Principal sender = identify(request, by);
  if (is_stranger(sender) && !may(sender, action_at(request.method, request.target))) {
    return refused(Reason::kUnauthorized, "Unauthorized");
  }
  return sender;
}

std::string passed_on_token(const net::Request& request) {
  return request.peer.unix_socket_same_user ? "" : bearer_token(request);
}

}  // namespace muster::apiserver
