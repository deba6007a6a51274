// HTTP messages as plain values, and the two seams every HTTP party speaks through: Exchange (a request being answered)
// and Transport (a request being made). The in-process client and the network implement the same Transport.
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
  /// Names compare without case. "" when absent.
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

/// Who is on the other end, as far as the connection itself shows it.
struct Peer {
  bool tls = false;
  bool loopback = false;
  bool in_process = false;  // LocalTransport
  bool unix_socket_same_user = false;
};

struct Request {
  std::string method;
  std::string target;  // path and query, still percent-encoded
  Headers headers;
  std::string body;
  Peer peer;
  bool repeatable = false;  // set by a client: doing it twice is the same as doing it once
};

/// Whether a request of which nobody knows if it was done may be sent again.
bool may_repeat(const Request& request);

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::vector<Bytes> pieces = {};  // of the body, after `body`: large answers made of what is in memory already
};

/// The server's side of one request. Either respond() once, or begin(), any number of write()s and finish().
/// Loop thread only. Calls after the peer has gone are ignored.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void respond(Response response) = 0;
  /// Sends the head at once, chunked.
  virtual void begin(int status, Headers headers) = 0;
  virtual void write(Bytes bytes) = 0;
  /// The reader is in the same process and shares bytes with the writer, under a word that both understand, instead of
  /// having them copied into its stream.
  virtual bool takes_shared() const { return false; }
  virtual void write_shared(std::string_view what, const Bytes& bytes) { (void)what, (void)bytes; }
  virtual void finish() = 0;
  /// Bytes written but not yet taken by the peer: a slow reader is the caller's to drop.
  virtual std::size_t unsent() const = 0;
  /// Calls once, from the loop, when no more than `bytes` are unsent, unless the answer ends or the peer goes first. A
  /// later call replaces an earlier one.
  virtual void when_room(std::size_t bytes, Task task) = 0;
  /// Drops the connection without an orderly end.
  virtual void abort() = 0;
  /// Called once if the peer goes away before the end.
  virtual void on_gone(Task task) = 0;
};

using Handler = std::function<void(Request, std::shared_ptr<Exchange>)>;

/// The client's side of one request. Callbacks come on the loop: head once, data any number of times, end exactly once.
/// Only on_sent may come inside send().
struct ResponseSink {
  UniqueFunction<void(int status, const Headers&)> on_head;
  UniqueFunction<void(std::string_view)> on_data;
  UniqueFunction<void(std::string_view what, const Bytes& bytes)> on_shared;  // for write_shared, where set
  UniqueFunction<void(Status)> on_end;
  /// From here on the server may have got the request, whatever becomes of the connection. May come more than once.
  UniqueFunction<void()> on_sent;
};

/// A request under way; destroying it cancels, and no callback comes afterwards.
class Call {
 public:
  virtual ~Call() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<Call> send(Request request, ResponseSink sink) = 0;
};

/// The name or address in a Host header, lower case and without brackets and port; nullopt when it is malformed.
std::optional<std::string> host_name(std::string_view host);

/// Percent-decoding of one path segment or query value; nullopt for broken escapes.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);

}  // namespace muster::net
