// TcpStream: a connected TCP socket whose bytes are passed on as they are. It needs no more than a Loop, so it also
// takes the sockets of other networks.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "base/result.h"

namespace muster::net {

/// Loop thread only. Destroying it closes the connection.
class TcpStream {
 public:
  /// Callbacks run on the loop, never inside a call of the stream. Nothing follows on_end. Only on_finish and on_end
  /// may destroy the stream.
  struct Sink {
    UniqueFunction<void(std::string_view)> on_bytes;
    Task on_finish;                       // the peer sends nothing more; it may still read
    UniqueFunction<void(Status)> on_end;  // both sides have finished, or the connection broke
  };

  TcpStream(Loop& loop, Fd socket, Sink sink);
  ~TcpStream();
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  void write(std::string_view bytes);
  /// The peer reads the end of the stream after what has been written.
  void finish();
  std::size_t unsent() const { return pending_.size() - sent_; }
  /// Calls `task` once when at most `bytes` are unsent. A later call replaces an earlier one.
  void when_room(std::size_t bytes, Task task);
  /// Delivers no bytes until resume().
  void pause();
  void resume();

 private:
  void read();
  void flush();
  void wait_until_writable();
  /// Nothing can be written any more.
  void end_output();
  void break_output();
  void end_when_both_have();
  void end(Status how);
  void notify();

  Loop& loop_;
  Fd socket_;
  Sink sink_;
  Fd writable_;  // an epoll instance that is readable when the socket is writable: the loop waits for readability only
  Loop::Id read_id_ = 0;
  Loop::Id write_id_ = 0;
  std::string pending_;
  std::size_t sent_ = 0;  // of pending_
  std::size_t room_ = 0;
  Task when_room_;
  bool is_paused_ = false;
  bool is_finishing_ = false;
  bool input_ended_ = false;
  bool output_ended_ = false;
  bool output_broke_ = false;  // the peer did not take everything
  bool ended_ = false;
  Lifetime lifetime_;
};

}  // namespace muster::net
