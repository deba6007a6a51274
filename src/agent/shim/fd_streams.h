// Bytes between the loop and file descriptors that may block: pipes and terminals.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "base/unique_function.h"

namespace muster::agent {

/// Reads a descriptor as its bytes come. Loop thread only.
class FdReader {
 public:
  /// `on_end` is called once, at the end of the stream or after an error. Either callback may destroy the reader.
  FdReader(Loop& loop, Fd fd, UniqueFunction<void(std::string_view)> on_bytes, UniqueFunction<void()> on_end);
  ~FdReader();
  FdReader(const FdReader&) = delete;
  FdReader& operator=(const FdReader&) = delete;

  void pause();
  void resume();
  /// Reads what is there now, whether paused or not.
  void drain();
  int fd() const { return fd_.get(); }

 private:
  /// Returns false when there is nothing more to read for now, or at all.
  bool read_once();

  Loop& loop_;
  Fd fd_;
  UniqueFunction<void(std::string_view)> on_bytes_;
  UniqueFunction<void()> on_end_;
  Loop::Id id_ = 0;
  Lifetime lifetime_;
};

/// Writes to a descriptor as fast as it takes the bytes. Loop thread only.
class FdWriter {
 public:
  FdWriter(Loop& loop, Fd fd);
  ~FdWriter();
  FdWriter(const FdWriter&) = delete;
  FdWriter& operator=(const FdWriter&) = delete;

  void write(std::string_view bytes);
  /// Closes the descriptor after what has been written.
  void close();
  std::size_t unsent() const { return pending_.size(); }
  bool is_terminal() const;
  /// Calls `task` once, never inline, when at most `bytes` are unsent.
  void when_room(std::size_t bytes, Task task);

 private:
  void flush();
  void notify();

  Loop& loop_;
  Fd fd_;
  Fd writable_;  // an epoll instance that is readable when fd_ is writable: the loop waits for readability only
  Loop::Id id_ = 0;
  std::string pending_;
  bool is_closing_ = false;
  std::size_t room_ = 0;
  Task when_room_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
