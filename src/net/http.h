// HTTP messages as plain values, and the two interfaces between HTTP parties: Exchange (the server's side of a request)
// and Transport (the client's). The in-process client and the network client implement the same Transport.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"

namespace muster::net {

using Bytes = std::shared_ptr<const std::string>;

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> items) : items_(items) {}
  /// Names are case-insensitive. Returns "" when absent.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) > 0; }
  std::size_t count(std::string_view name) const;
  void set(std::string name, std::string value);
  void add(std::string name, std::string value);
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

/// What the connection itself reveals about the peer.
struct Peer {
  bool tls = false;
  bool loopback = false;
  bool in_process = false;  // connected through LocalTransport
  bool unix_socket_same_user = false;
};

struct Request {
  std::string method;
  std::string target;  // path and query, still percent-encoded
  Headers headers;
  std::string body;
  Peer peer;
  bool repeatable = false;  // set by a client when repeating the request has no further effect
};

/// Returns true when the request may be sent again although its first outcome is unknown.
bool may_repeat(const Request& request);

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::vector<Bytes> pieces = {};  // sent after `body`: large responses reuse what is in memory already
};

/// The server's side of one request. Call either respond() once, or begin(), any number of write()s and finish(). Loop
/// thread only. Calls after the peer has disconnected are ignored.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void respond(Response response) = 0;
  /// Sends the head at once, for a chunked body.
  virtual void begin(int status, Headers headers) = 0;
  virtual void write(Bytes bytes) = 0;
  /// Returns true when the reader is in the same process and takes shared bytes, labelled with a tag that both sides
  /// understand, instead of a copy in its stream.
  virtual bool takes_shared() const { return false; }
  virtual void write_shared(std::string_view what, const Bytes& bytes) { (void)what, (void)bytes; }
  virtual void finish() = 0;
  /// Returns the bytes written but not yet sent: the caller decides when a reader is too slow.
  virtual std::size_t unsent() const = 0;
  /// Calls `task` once, from the loop, when at most `bytes` are unsent, unless the response ends or the peer
  /// disconnects first. A later call replaces an earlier one.
  virtual void when_room(std::size_t bytes, Task task) = 0;
  /// Closes the connection without finishing the response.
  virtual void abort() = 0;
  /// Calls `task` once if the peer disconnects before the response is finished.
  virtual void on_gone(Task task) = 0;
};

using Handler = std::function<void(Request, std::shared_ptr<Exchange>)>;

/// The client's side of one request. Callbacks run on the loop: head once, data any number of times, end exactly once.
/// Only on_sent may run inside send().
struct ResponseSink {
  UniqueFunction<void(int status, const Headers&)> on_head;
  UniqueFunction<void(std::string_view)> on_data;
  UniqueFunction<void(std::string_view what, const Bytes& bytes)> on_shared;  // for write_shared, when set
  UniqueFunction<void(Status)> on_end;
  /// From now on the server may have received the request, even if the connection fails. May be called more than once.
  UniqueFunction<void()> on_sent;
};

/// A request in progress; destroying it cancels the request, and no callback follows.
class Call {
 public:
  virtual ~Call() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<Call> send(Request request, ResponseSink sink) = 0;
};

/// Returns the name or address in a Host header, in lower case, without brackets and port; nullopt when malformed.
std::optional<std::string> host_name(std::string_view host);

/// Decodes percent escapes in one path segment or query value; nullopt when an escape is malformed.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);

}  // namespace muster::net
