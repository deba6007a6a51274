#include "main/content_listen.h"

#include <fmt/core.h>

#include <optional>

#include "base/log.h"
#include "cli/connect/connect.h"
#include "main/machine_names.h"
#include "web/pages/content_port.h"

namespace muster {
namespace {

/// Returns the port of an earlier engine's content: browsers have logins for it, so it must not become another
/// program's. It is the one that is left in the door when the main port was taken from there.
std::optional<int> earlier_port(const Address& main, door::Door& door) {
  if (!door.gave_some() || door.taken().empty()) return std::nullopt;
  const auto left = net::listen_address(door.taken().front().get());
  const bool same_host = left && (left->host == main.host || (is_loopback(left->host) && is_loopback(main.host)));
  return same_host ? std::optional(left->port) : std::nullopt;
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

Result<int> listen_for_engine(net::HttpServer& server, const Address& address, door::Door& door) {
  auto port = server.listen(address.host, address.port, door.taken());
  if (port || port.error().reason != Reason::kAlreadyExists || door.taken().empty()) return port;
  // What the engine before has left may be in the way: 0.0.0.0 covers 127.0.0.1.
  TRY(door.drop_taken());
  return server.listen(address.host, address.port);
}

Result<int> listen_near(net::HttpServer& server, const Address& usual, door::Door& door) {
  constexpr int kTries = 64;
  auto port = listen_for_engine(server, usual, door);
  // Two apart: the content port is the next one.
  for (int i = 1; i <= kTries && !port && port.error().reason == Reason::kAlreadyExists; ++i) {
    port = listen_for_engine(server, {.host = usual.host, .port = usual.port + 2 * i}, door);
  }
  return port;
}

Result<int> listen_for_content(net::HttpServer& server, const Config& config, const Address& main, int main_port,
                               door::Door& door) {
  if (!config.content_listen.empty()) {
    TRY_ASSIGN(const Address address, parse_address(config.content_listen));
    auto port = listen_for_engine(server, address, door);
    return port ? port : in_context("contentListen", port.error());
  }
  if (const auto port = earlier_port(main, door)) {
    return listen_for_engine(server, {.host = main.host, .port = *port}, door);
  }
  constexpr int kLastPort = 65535;
  if (main.port != 0 && main_port < kLastPort) {
    auto next = listen_for_engine(server, {.host = main.host, .port = main_port + 1}, door);
    if (next || next.error().reason != Reason::kAlreadyExists) return next;
    LOG_WARN("the port after the main one is taken, content is served on another; contentListen chooses which",
             {"taken", main_port + 1});
  }
  return server.listen(main.host, 0);
}

std::string browser_url(const std::string& host, const std::string& reachable, int port) {
  if (host == "::1") return fmt::format("http://[::1]:{}", port);
  if (is_loopback(host)) return web::loopback_url(port);
  return cli::url_of({.host = is_anywhere(host) ? reachable : host, .port = port});
}

std::vector<std::string> own_origins(const std::string& host, const std::string& reachable,
                                     const std::vector<std::string>& names, int port) {
  std::vector<std::string> origins{browser_url(host, reachable, port)};
  if (!is_anywhere(host)) return origins;
  for (const std::string& name : names) {
    if (is_loopback(name) || is_anywhere(name)) continue;
    if (std::string origin = cli::url_of({.host = name, .port = port}); origin != origins.front()) {
      origins.push_back(std::move(origin));
    }
  }
  origins.push_back(web::loopback_url(port));
  return origins;
}

std::string content_url(const Config& config, const Address& main, const std::string& reachable, int port) {
  const auto chosen = parse_address(config.content_listen);
  return browser_url(chosen ? chosen->host : main.host, reachable, port);
}

}  // namespace muster
