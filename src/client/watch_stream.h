// Splits the body of a watch into events. Private to client/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/api_client.h"

namespace muster::client {

/// The limit of one line: many times the largest object that the server accepts.
inline constexpr std::size_t kMaxWatchLine = 32 * 1024 * 1024;

/// The watch's handle owns it; the transport's callbacks hold it weakly, so that a destroyed handle gets no calls.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(WatchSink sink, std::optional<json::Excerpt> glance)
      : sink_(std::move(sink)), glance_(std::move(glance)) {}

  void on_data(std::string_view bytes);
  /// Called by a server in this process, which shares the object's text.
  void on_event(std::string_view type, const net::Bytes& text);
  void on_end(Status status);
  /// Sets the call to read from, which is dropped as soon as an event ends the watch.
  void set_call(std::unique_ptr<net::Call> call);
  /// Called when the handle is destroyed.
  void cancel();

 private:
  void on_line(std::string_view line);
  void end(Status status);

  WatchSink sink_;
  std::optional<json::Excerpt> glance_;
  std::unique_ptr<net::Call> call_;
  std::string partial_;  // an incomplete line
  bool ended_ = false;
};

}  // namespace muster::client
