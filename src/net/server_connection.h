// One accepted connection of HttpServer. It reads requests one after the other, passes each to the handler and writes
// the handler's response. Private to net/.
//
// One read is always in progress, even while a request is being processed: this is how a disconnected peer is noticed.
// Input that arrives early (pipelining) waits, up to a limit, until the response is written.
#pragma once

#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/connection_pool.h"
#include "net/http.h"
#include "net/http_server.h"
#include "net/request_reader.h"
#include "net/socket.h"

namespace muster::net {

/// The state that the connections of one server share.
struct ServerShared {
  ServerShared(EventLoop& l, Handler h, ServerLimits m, KnowsSender k, StreamsBody s)
      : loop(l), handler(std::move(h)), limits(m), knows(std::move(k)), streams_body(std::move(s)) {}

  EventLoop& loop;
  Handler handler;
  ServerLimits limits;
  KnowsSender knows;                // null: every sender is known
  StreamsBody streams_body;         // null: no body is streamed
  std::shared_ptr<TlsContext> tls;  // null: plain HTTP only
  ConnectionPool tcp{limits};
  ConnectionPool local{limits};  // over Unix sockets

  std::size_t connections() const { return tcp.size() + local.size(); }

  /// Returns the current value of the Date header.
  const std::string& date();

 private:
  std::time_t date_second_ = -1;
  std::string date_;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  enum class Plain { kAllowed, kRefused };  // HTTP without TLS

  /// `pool` must be one of the pools in `shared`.
  Connection(std::shared_ptr<ServerShared> shared, ConnectionPool& pool, std::unique_ptr<Socket> socket, Peer peer,
             Plain plain);
  ~Connection();

  void start();
  void check_deadline(MonoTime now);
  /// Returns when the connection will be closed because it is idle; nullopt while a request is in progress.
  std::optional<MonoTime> idle_until() const;
  /// Closes the connection without notifying anyone.
  void close();

  // For the Exchange. `number` identifies its request: calls that arrive after the response are ignored.
  void respond(std::uint64_t number, Response response);
  void begin(std::uint64_t number, int status, const Headers& headers);
  void write(std::uint64_t number, Bytes bytes);
  void finish(std::uint64_t number);
  std::size_t unsent(std::uint64_t number) const;
  void when_room(std::uint64_t number, std::size_t bytes, Task task);
  void read_input(std::uint64_t number, InputSink sink);
  void pause_input(std::uint64_t number, bool paused);
  void abort(std::uint64_t number);
  void on_gone(std::uint64_t number, Task task);
  void abandoned(std::uint64_t number);

  std::uint64_t ticket = 0;  // assigned by the pool

 private:
  enum class Step { kOpening, kReading, kAnswering, kLingering, kClosed };

  bool answering(std::uint64_t number) const;
  void handshake();
  void read();
  void on_read(const IoEnd& end, std::string_view bytes);
  void on_input_end();
  void parse();
  bool check_head();
  std::string_view fault_in_head() const;
  bool admit();
  void expect_body();
  void dispatch();
  void next_request();
  /// Whether what arrives now belongs to the request being processed: a streamed body, or all bytes after an upgrade.
  bool takes_input() const { return step_ == Step::kAnswering && !ended_ && (upgraded_ || reader_ != nullptr); }
  void deliver_input();
  void deliver_body(const std::shared_ptr<InputSink>& sink);
  void drop_input();
  void refuse(int status, std::string_view reason, std::string_view message);
  void refuse_malformed(std::string_view what);
  using Outcome = RequestReader::Outcome;
  void refuse_unparsed(Outcome outcome);

  void put_head(int status, const Headers& headers, std::optional<std::size_t> length);
  void flush_soon();
  void flush();
  void take_batch();
  void on_written(const IoEnd& end);
  void tell_room();
  void answer_complete();
  void linger();
  /// Closes the connection and notifies the handler that asked for it.
  void lost();
  void set_deadline(Duration from_now);
  /// Sets the deadline for a peer that has taken everything written so far.
  void await_peer();

  std::shared_ptr<ServerShared> shared_;
  ConnectionPool& pool_;
  std::unique_ptr<Socket> socket_;
  Peer peer_;
  Plain plain_;
  Step step_ = Step::kOpening;
  bool known_ = false;  // has shown credentials, and occupies a place among those that have
  std::optional<MonoTime> deadline_;

  // Input.
  bool reading_ = false;
  bool input_ended_ = false;
  std::string in_;                         // received, but not yet parsed
  std::unique_ptr<RequestReader> reader_;  // null between requests, and once the body is complete
  MonoTime body_began_;
  std::size_t discarded_ = 0;  // bytes received after a rejected request

  // The input of the request being processed, when its handler takes it piece by piece.
  std::shared_ptr<InputSink> input_;
  bool input_paused_ = false;
  bool upgraded_ = false;

  // The response in progress.
  std::uint64_t number_ = 0;
  bool head_only_ = false;
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool begun_ = false;
  bool chunked_ = false;
  bool ended_ = false;
  bool end_sent_ = false;
  Task on_gone_;

  // Output. `lead_` is sent before the queue.
  std::string lead_;
  std::deque<Bytes> queue_;
  std::size_t queue_offset_ = 0;  // into the first entry, when it is sent in slices
  std::size_t unsent_ = 0;
  std::size_t room_ = 0;  // on_room_ is called once no more than this is unsent
  Task on_room_;
  struct Batch {
    std::string lead;
    std::vector<Bytes> held;
    std::vector<std::string_view> pieces;
    std::size_t payload = 0;
  };
  Batch batch_;
  bool writing_ = false;
  bool flush_posted_ = false;
};

}  // namespace muster::net
