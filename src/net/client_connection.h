// A connection of the HTTP client and the requests that it carries. Included only by the client itself.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_client.h"
#include "net/response_reader.h"
#include "net/socket.h"

namespace muster::net {

class ClientConnection;

/// What is written to a Call and not sent yet.
struct Outgoing {
  std::deque<Bytes> queue;
  std::size_t unsent = 0;
  bool finished = false;
  std::size_t room = 0;  // on_room is called once no more than this is unsent
  Task on_room;

  void add(Bytes bytes) {
    unsent += bytes->size();
    queue.push_back(std::move(bytes));
  }
};

/// One request in progress, held by its Call and by the connection that carries it.
struct Flight {
  Request request;
  std::string head;
  ResponseSink sink;
  Outgoing outgoing;
  std::weak_ptr<ClientConnection> connection;
  bool cancelled = false;
  bool retried = false;
  bool head_delivered = false;
  bool input_paused = false;

  /// A request of which more follows has a connection of its own, which no later request uses.
  bool is_stream() const { return request.streams_body || asks_for_upgrade(request.headers); }
  void end(Status status) {
    if (!cancelled && sink.on_end) sink.on_end(std::move(status));
  }
};

/// The state shared by the requests and connections of one client.
struct ClientShared : std::enable_shared_from_this<ClientShared> {
  ClientShared(EventLoop& l, Endpoint e);

  void start(const std::shared_ptr<Flight>& flight);
  void start_fresh(const std::shared_ptr<Flight>& flight);
  /// Takes a connection that has become idle.
  void release(const std::shared_ptr<ClientConnection>& connection);
  void closed(const std::shared_ptr<ClientConnection>& connection);
  void serve_waiting();
  void drop_old_idle();
  void stop();

  EventLoop& loop;
  Endpoint endpoint;
  std::string name;
  std::shared_ptr<TlsContext> tls;
  std::optional<Error> tls_error;
  std::set<std::shared_ptr<ClientConnection>> connections;
  std::vector<std::shared_ptr<ClientConnection>> idle;  // most recently used last
  std::deque<std::shared_ptr<Flight>> waiting;
  Loop::Id idle_timer = 0;
  bool stopped = false;
};

/// One connection: opened for a request and kept for later ones.
class ClientConnection : public std::enable_shared_from_this<ClientConnection> {
 public:
  explicit ClientConnection(std::shared_ptr<ClientShared> shared)
      : shared_(std::move(shared)), socket_(shared_->loop) {}

  void open(const std::shared_ptr<Flight>& flight);
  /// Sends a request on a connection that was idle.
  void send(const std::shared_ptr<Flight>& flight);
  void close();
  /// Writes what has been passed to the call, once the head is written. A failed write is ignored, as in transmit().
  void pump();
  void resume_input();
  bool usable() const { return state_ == State::kIdle && socket_.quiet(); }
  MonoTime idle_since() const { return idle_since_; }

 private:
  /// kConnecting → kSending → kSent → kIdle → kSending …; kSending → kAnswered → kIdle when the response is complete
  /// before the request is written. Any state may become kClosed. Only the first three have a flight_. Reading is not a
  /// state: a response may arrive while the request is being written, and an idle connection is read to notice its end.
  enum class State {
    kConnecting,
    kSending,   // the request is being written; also after a failed write, because a response may still arrive
    kSent,      // the request is written; bytes of its Call may follow
    kAnswered,  // the response is complete; waits for the end of the write
    kIdle,
    kClosed,
  };

  void resolve(const std::string& host, int port);
  void connect_next(const std::string& last_problem);
  void connect_by(Fd fd, const Address& address);
  void check();
  void begin();
  void handshake();
  void connected();
  void cannot_connect(const std::string& why);
  void cannot_connect(Error why);
  void transmit();
  void read();
  void on_read(const IoEnd& end, std::string_view arrived);
  /// Parses nearly everything in place. When the parser leaves an incomplete chunk header, only the rest of that line
  /// is copied and joined with it.
  void take(std::string_view arrived);
  void on_input_end(const IoEnd& end);
  void failed(const std::string& why);
  void parse(std::string_view text, bool is_last);
  /// Returns true once the connection carries another protocol than HTTP.
  bool is_upgraded() const;
  void deliver_raw(std::string_view bytes);
  /// Returns false when a callback cancelled the call.
  bool deliver();
  void complete(bool nothing_follows);
  /// Makes the connection available to later requests.
  void rest();

  std::shared_ptr<ClientShared> shared_;
  Socket socket_;
  std::deque<Address> addresses_;
  std::shared_ptr<Flight> flight_;
  std::unique_ptr<ResponseReader> reader_;
  std::string in_;
  Loop::Id timer_ = 0;
  MonoTime idle_since_;
  State state_ = State::kConnecting;
  bool may_be_stale_ = false;  // the connection was idle, and no byte has arrived since it was taken for flight_
  bool reading_ = false;
  bool writing_ = false;  // bytes of the call, after the head
};

}  // namespace muster::net
