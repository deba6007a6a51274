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
  bool in_process = false;                   // connected through LocalTransport
  bool unix_socket_same_user = false;        // the same user id in the same user namespace
  bool unix_socket_other_namespace = false;  // our user id, but there it means somebody else
};

struct Request {
  std::string method;
  std::string target;  // path and query, still percent-encoded
  Headers headers;
  std::string body;
  Peer peer;
  bool repeatable = false;  // set by a client when repeating the request has no further effect
  bool one_answer = false;  // whatever the server answers is the answer, also when it asks for a retry
  /// The body is not in `body`: the client passes it to Call::write, the server's handler gets it from
  /// Exchange::read_input.
  bool streams_body = false;
};

/// Returns true when the request may be sent again although its first outcome is unknown.
bool may_repeat(const Request& request);
/// Returns true when the header asks for this protocol: `Upgrade: websocket` and `Connection: …, Upgrade`.
bool asks_for_upgrade(const Headers& headers);

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::vector<Bytes> pieces = {};  // sent after `body`: large responses reuse what is in memory already
};

/// One side of a connection that carries bytes in both directions. Loop thread only.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual void write(Bytes bytes) = 0;
  /// Nothing is written after this.
  virtual void finish() = 0;
  /// Returns the bytes written but not yet sent: the caller decides when a reader is too slow.
  virtual std::size_t unsent() const = 0;
  /// Calls `task` once, from the loop, when at most `bytes` are unsent, unless the stream ends first. A later call
  /// replaces an earlier one.
  virtual void when_room(std::size_t bytes, Task task) = 0;
  /// Delivers no input until resume_input(), except for what has been received already. The peer then has to wait.
  virtual void pause_input() = 0;
  virtual void resume_input() = 0;
};

/// The input of a server while it processes a request. Callbacks run on the loop, never inline.
struct InputSink {
  UniqueFunction<void(std::string_view)> on_data;
  Task on_end;  // the body is complete; never called after an upgrade
};

/// The server's side of one request. Call either respond() once, or begin(), any number of write()s and finish(). Loop
/// thread only. Calls after the peer has disconnected are ignored.
class Exchange : public ByteStream {
 public:
  virtual void respond(Response response) = 0;
  /// Sends the head at once, for a chunked body or one of exactly the Content-Length given. After status 101 the
  /// connection carries plain bytes both ways, until finish() or until either side disconnects.
  virtual void begin(int status, Headers headers) = 0;
  /// Begins to deliver a streamed body, or what follows the head of an upgrade. Until then the peer has to wait.
  virtual void read_input(InputSink sink) { (void)sink; }
  void pause_input() override {}
  void resume_input() override {}
  /// Returns true when the reader is in the same process and takes shared bytes, labelled with a tag that both sides
  /// understand, instead of a copy in its stream.
  virtual bool takes_shared() const { return false; }
  virtual void write_shared(std::string_view what, const Bytes& bytes) { (void)what, (void)bytes; }
  /// Closes the connection without finishing the response.
  virtual void abort() = 0;
  /// Calls `task` once if the peer disconnects before the response is finished.
  virtual void on_gone(Task task) = 0;
};

/// Passes everything on to another exchange; derived classes override what they observe.
class ExchangeDecorator : public Exchange {
 public:
  explicit ExchangeDecorator(std::shared_ptr<Exchange> inner) : inner_(std::move(inner)) {}

  void respond(Response response) override { inner_->respond(std::move(response)); }
  void begin(int status, Headers headers) override { inner_->begin(status, std::move(headers)); }
  void write(Bytes bytes) override { inner_->write(std::move(bytes)); }
  bool takes_shared() const override { return inner_->takes_shared(); }
  void write_shared(std::string_view what, const Bytes& bytes) override { inner_->write_shared(what, bytes); }
  void finish() override { inner_->finish(); }
  std::size_t unsent() const override { return inner_->unsent(); }
  void when_room(std::size_t bytes, Task task) override { inner_->when_room(bytes, std::move(task)); }
  void read_input(InputSink sink) override { inner_->read_input(std::move(sink)); }
  void pause_input() override { inner_->pause_input(); }
  void resume_input() override { inner_->resume_input(); }
  void abort() override { inner_->abort(); }
  void on_gone(Task task) override { inner_->on_gone(std::move(task)); }

 private:
  std::shared_ptr<Exchange> inner_;
};

using Handler = std::function<void(Request, std::shared_ptr<Exchange>)>;

/// The client's side of one request. Callbacks run on the loop: head once, data any number of times, end exactly once.
/// Only on_sent may run inside send(). After status 101 the data is whatever the server sends, and every end is ok: the
/// protocol spoken there has its own.
struct ResponseSink {
  UniqueFunction<void(int status, const Headers&)> on_head;
  UniqueFunction<void(std::string_view)> on_data;
  UniqueFunction<void(std::string_view what, const Bytes& bytes)> on_shared;  // for write_shared, when set
  UniqueFunction<void(Status)> on_end;
  /// From now on the server may have received the request, even if the connection fails. May be called more than once.
  UniqueFunction<void()> on_sent;
};

/// A request in progress; destroying it cancels the request, and no callback follows. It takes bytes for a streamed
/// body and after status 101; other requests are complete when they are sent, and what is written is dropped.
class Call : public ByteStream {
 public:
  void write(Bytes bytes) override { (void)bytes; }
  void finish() override {}
  std::size_t unsent() const override { return 0; }
  void when_room(std::size_t bytes, Task task) override { (void)bytes, (void)task; }
  void pause_input() override {}
  void resume_input() override {}
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<Call> send(Request request, ResponseSink sink) = 0;
};

/// Returns false for a text with control characters: a line break would start another header.
bool is_header_value(std::string_view text);

/// Returns the name or address in a Host header, in lower case, without brackets and port; nullopt when malformed.
std::optional<std::string> host_name(std::string_view host);

/// Decodes percent escapes in one path segment or query value; nullopt when an escape is malformed.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);

}  // namespace muster::net
