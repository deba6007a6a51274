#include "apiserver/http/auth.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/http/web_socket_token.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

/// Compares every byte even after a difference, so that the duration reveals nothing about the token.
bool same_secret(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = i < given.size() ? given[i] : '\0';
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

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

bool needs_no_token(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

/// Rejects requests under a foreign host name, requests from pages of other sites, and impersonation.
Status check_origin(const net::Request& request, const std::vector<std::string>& allowed_hosts) {
  if (request.peer.in_process) return ok();
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
                   fmt::format("{}: this server has one user, requests in the name of another are not supported; leave "
                               "out --as, --as-group and --as-uid",
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

bool has_credentials(const net::Request& request, const std::string& token) {
  if (request.peer.in_process || request.peer.unix_socket_same_user) return true;
  return !token.empty() && same_secret(bearer_token(request), token);
}

}  // namespace

bool knows_sender(const net::Request& head, const std::string& token, const std::vector<std::string>& allowed_hosts) {
  return check_origin(head, allowed_hosts) && has_credentials(head, token);
}

Status authenticate(const net::Request& request, const std::string& token,
                    const std::vector<std::string>& allowed_hosts) {
  TRY(check_origin(request, allowed_hosts));
  if (has_credentials(request, token) || needs_no_token(request.target)) return ok();
  return refused(Reason::kUnauthorized, "Unauthorized");
}

}  // namespace muster::apiserver
