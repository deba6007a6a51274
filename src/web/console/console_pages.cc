#include "web/console/console_pages.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/access/principal.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/conditional.h"
#include "apiserver/http/request.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "json/document.h"

namespace muster::web {
namespace {

constexpr std::string_view kHome = "/console/";
constexpr std::string_view kLogin = "/console/login";
constexpr std::string_view kProof = "/console/proof";
constexpr std::size_t kFingerprintDigits = 32;

// Scripts and styles come from this origin only, so that text of jobs and logs can never run as a program.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'";

constexpr const char* kNotBuilt =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Muster</title>"
    "<h1>This build of Muster has no console</h1>"
    "<p>It was built without npm. Install it and build again: "
    "<code>tools/install_packages console && cmake --build --preset release</code></p>"
    "<p>The API and the commands work as usual: <code>muster get jobs</code>.</p></html>";

std::string_view path_of(const net::Request& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

std::string_view bearer_of(const net::Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.headers.get("Authorization");
  return given.starts_with(kBearer) ? given.substr(kBearer.size()) : "";
}

void protect(net::Headers& headers) {
  headers.set("Content-Security-Policy", kContentPolicy);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
}

net::Response html(int status, std::string body) {
  net::Response response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  return response;
}

net::Response redirect_to(std::string url) {
  net::Response response{.status = 302, .headers = {}, .body = {}};
  response.headers.set("Location", std::move(url));
  return response;
}

net::Response never_stored(const json::Document& body) {
  net::Response response{.status = 200, .headers = {}, .body = json::serialize(body)};
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/// The port in an origin or a Host header, with its colon; "" when there is none.
std::string_view port_in(std::string_view authority) {
  const auto colon = authority.rfind(':');
  return colon == std::string_view::npos || authority.ends_with(']') ? "" : authority.substr(colon);
}

bool is_nonce(std::string_view text) {
  constexpr std::size_t kShortest = 32;
  constexpr std::size_t kLongest = 128;
  return text.size() >= kShortest && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error refuse_login() {
  return {.reason = Reason::kUnauthorized,
          .message = "this link has been used or has expired; run muster console for a new one"};
}

Error elsewhere(const std::vector<std::string>& origins) {
  return {
      .reason = Reason::kForbidden,
      .message = fmt::format("this is not the address of the console, which is at {}; a forwarded port must have the "
                             "same number",
                             join(origins, " and "))};
}

Error shared_port() {
  return {.reason = Reason::kConflict,
          .message =
              "another program still has connections that it accepted at this port before; no proof is given "
              "until they are closed"};
}

Error unknown_file(std::string_view path) {
  return {.reason = Reason::kNotFound, .message = fmt::format("console: there is no file {}", quote(path))};
}

net::Response session_response(const ConsoleSessions::Session& session) {
  return never_stored(json::Object{{"apiVersion", "muster.dev/v1"},
                                   {"kind", "ConsoleSession"},
                                   {"token", session.token},
                                   {"expires", format_rfc3339(session.expires)}});
}

/// The smallest form of the file that the browser accepts.
std::string_view choose_encoding(const Asset& asset, std::string_view accepted) {
  for (const std::string_view encoding : {"br", "gzip"}) {
    if (!asset.forms.contains(encoding)) continue;
    for (const std::string& one : split(accepted, ',')) {
      if (trim(one.substr(0, one.find(';'))) == encoding) return encoding;
    }
  }
  return "identity";
}

}  // namespace

ConsolePages::ConsolePages(AssetPack assets, const PageAccess& access, OneTimeLinks& links, ConsoleSessions& sessions,
                           net::SigningKey key)
    : assets_(std::move(assets)), access_(access), links_(links), sessions_(sessions), key_(std::move(key)) {
  const auto index = assets_.find("index.html");
  if (index == assets_.end()) return;
  index_etag_ = fmt::format("\"{}\"", sha256_hex(*index->second.forms.find("identity")->second).substr(0, 20));
}

bool ConsolePages::serves(const net::Request& head) {
  const std::string_view path = path_of(head);
  if (path == "/") return head.headers.get("Accept").find("text/html") != std::string_view::npos;
  return path == kHome.substr(0, kHome.size() - 1) || path.starts_with(kHome);
}

net::Response ConsolePages::answer(const net::Request& request) {
  net::Response response;
  const std::string_view path = path_of(request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!access_.is_from_here(request)) {
    response = apiserver::error_response(
        {.reason = Reason::kForbidden, .message = "Host or Origin: this is not a name of this server"});
  } else if (path == kLogin && request.method == "POST") {
    response = log_in(request);
  } else if (!reads) {
    response = apiserver::error_response(apiserver::method_not_allowed());
  } else if (path == kProof) {
    response = prove(request);
  } else if (!path.starts_with(kHome)) {
    response = redirect_to(std::string(kHome));
  } else if (const std::string other = better_origin(request); !other.empty()) {
    response = redirect_to(other + request.target);
  } else {
    response = answer_file(request, path.substr(kHome.size()));
  }
  protect(response.headers);
  return response;
}

/// Every path that is not a file is one of the console's own pages, which its script shows.
net::Response ConsolePages::answer_file(const net::Request& request, std::string_view path) const {
  if (assets_.empty()) return html(200, kNotBuilt);
  const bool is_file = path.starts_with("assets/");
  const auto found = assets_.find(is_file ? path : "index.html");
  if (found == assets_.end()) return apiserver::error_response(unknown_file(path));
  net::Response response{.status = 200, .headers = {}, .body = {}};
  response.headers.set("Content-Type", found->second.type);
  response.headers.set("Vary", "Accept-Encoding");
  if (is_file) {
    response.headers.set("Cache-Control", "public, max-age=31536000, immutable");  // the name has a hash
  } else {
    response.headers.set("Cache-Control", "no-cache");
    response.headers.set("ETag", index_etag_);
    if (apiserver::names_etag(request.headers.get("If-None-Match"), index_etag_)) {
      response.status = 304;
      return response;
    }
  }
  const std::string_view encoding = choose_encoding(found->second, request.headers.get("Accept-Encoding"));
  if (encoding != "identity") response.headers.set("Content-Encoding", std::string(encoding));
  response.pieces.push_back(found->second.forms.find(encoding)->second);
  return response;
}

/// The code comes in a header, because the bodies of strangers are not read.
net::Response ConsolePages::log_in(const net::Request& request) {
  if (!links_.redeem(bearer_of(request), std::string(kHome))) return apiserver::error_response(refuse_login());
  return session_response(sessions_.open());
}

/// Returns "" under a name where another program may answer as well, or at a forwarded port.
std::string ConsolePages::origin_of(const net::Request& request) const {
  const std::string claimed =
      fmt::format("{}://{}", request.peer.tls ? "https" : "http", to_lower(request.headers.get("Host")));
  return std::ranges::find(origins_, claimed) == origins_.end() ? "" : claimed;
}

/// A browser that came under another name, such as localhost, is sent to the one where it can get a proof. At a
/// forwarded port it stays: that address would lead elsewhere.
std::string ConsolePages::better_origin(const net::Request& request) const {
  if (!origin_of(request).empty()) return "";
  const std::string_view port = port_in(request.headers.get("Host"));
  const std::string_view scheme = request.peer.tls ? "https:" : "http:";
  const auto found = std::ranges::find_if(origins_, [&](std::string_view origin) {
    return origin.starts_with(scheme) && port_in(origin.substr(scheme.size())) == port;
  });
  return found == origins_.end() ? "" : *found;
}

/// The origin comes from the server's own list: a program at another port that passes requests on gets no signature for
/// its own.
net::Response ConsolePages::prove(const net::Request& request) const {
  const auto target = apiserver::parse_target(request.target);
  if (!target) return apiserver::error_response(target.error());
  const std::string nonce(target->query.get("nonce"));
  if (!is_nonce(nonce)) {
    return apiserver::error_response(
        apiserver::bad_request("nonce: must have 32 to 128 hexadecimal digits, got " + quote(nonce)));
  }
  const std::string origin = origin_of(request);
  if (origin.empty()) return apiserver::error_response(elsewhere(origins_));
  const auto is_alone = is_alone_();
  if (!is_alone) return apiserver::error_response(is_alone.error());
  if (!*is_alone) return apiserver::error_response(shared_port());
  const auto signature = key_.sign(fmt::format("muster console\n{}\n{}", origin, nonce));
  if (!signature) return apiserver::error_response(signature.error());
  return never_stored(json::Object{{"apiVersion", "muster.dev/v1"},
                                   {"kind", "ConsoleProof"},
                                   {"key", base64_encode(key_.public_key())},
                                   {"signature", base64_encode(*signature)}});
}

std::string ConsolePages::make_link() {
  CHECK(!origins_.empty());
  // What follows # stays in the browser: the code gets into no log.
  return fmt::format("{}{}#login={}&server={}", origins_.front(), kHome,
                     links_.make(apiserver::user_name(apiserver::owner()), std::string(kHome)), fingerprint());
}

std::string ConsolePages::fingerprint() const {
  return sha256_hex(key_.public_key()).substr(0, kFingerprintDigits);
}

std::vector<apiserver::Route> console_routes(ConsolePages& pages, ConsoleSessions& sessions) {
  using apiserver::RoutedRequest;
  using Answer = std::shared_ptr<net::Exchange>;
  apiserver::Route link{.pattern = "apis/muster.dev/v1/console/link", .methods = {"POST"}, .handle = {}};
  link.handle = [&pages](const RoutedRequest&, const Answer& exchange) {
    exchange->respond(page_link_response(pages.make_link()));
  };
  apiserver::Route session{
      .pattern = "apis/muster.dev/v1/console/session", .methods = {"POST", "DELETE"}, .handle = {}};
  session.handle = [&sessions](const RoutedRequest& request, const Answer& exchange) {
    if (request.http.method == "POST") {
      const auto renewed = sessions.renew(bearer_of(request.http));
      return exchange->respond(renewed ? session_response(*renewed) : apiserver::error_response(renewed.error()));
    }
    const Status closed = sessions.close(bearer_of(request.http));
    if (!closed) return exchange->respond(apiserver::error_response(closed.error()));
    exchange->respond({.status = 204, .headers = {}, .body = {}});
  };
  return {std::move(link), std::move(session)};
}

}  // namespace muster::web
