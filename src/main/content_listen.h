// Where the engine listens: on the main port, and on the content port (a choice of the configuration, or next to the
// main port); and the origins of both.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "door/door.h"
#include "main/config.h"
#include "net/http_server.h"

namespace muster {

/// Listens on the sockets of the door, where it has them for this address, and else on new ones. Returns the port.
Result<int> listen_for_engine(net::HttpServer& server, const Address& address, door::Door& door);

/// Listens on `usual` or, if somebody has that port, on the first of the next ones that is free: an engine that starts
/// for the first time, without a word about the address, may run next to another user's. Returns the port.
Result<int> listen_near(net::HttpServer& server, const Address& usual, door::Door& door);

/// Listens where the configuration says, else on the port after the main one, else on any free port. `main` has the
/// address that was asked for, whose port may be 0; `main_port` is the one in use. Returns the port.
Result<int> listen_for_content(net::HttpServer& server, const Config& config, const Address& main, int main_port,
                               door::Door& door);

/// True for addresses that only programs of this machine reach.
bool is_loopback(const std::string& host);

/// Returns the origin of a port for links; plain HTTP where it listens on loopback. `reachable` stands for every
/// address of the machine.
std::string browser_url(const std::string& host, const std::string& reachable, int port);
/// Returns the origins under which a browser surely reaches this port and no other program; the first is browser_url.
/// Another program can take the same port at other addresses, so `localhost` is none of them. `names` are those of the
/// machine, for a server on every address.
std::vector<std::string> own_origins(const std::string& host, const std::string& reachable,
                                     const std::vector<std::string>& names, int port);
/// The same as browser_url for the content port.
std::string content_url(const Config& config, const Address& main, const std::string& reachable, int port);

}  // namespace muster
