// Splits the body of a watch into events. Private to client/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "client/api_client.h"

namespace muster::client {

/// One line may be this long: an object of the largest size the server takes, many times over.
inline constexpr std::size_t kMaxWatchLine = 32 * 1024 * 1024;

/// Held by the watch's handle; the callbacks of the transport hold it weakly, so that a destroyed handle hears nothing.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(WatchSink sink, std::optional<json::Excerpt> glance)
      : sink_(std::move(sink)), glance_(std::move(glance)) {}

  void on_data(std::string_view bytes);
  /// From a server in this process, which shares the object.
  void on_event(std::string_view type, const net::Bytes& text);
  void on_end(Status status);
  /// The call it reads from: dropped as soon as an event ends the watch.
  void set_call(std::unique_ptr<net::Call> call);
  /// The handle is being destroyed.
  void cancel();

 private:
  void on_line(std::string_view line);
  void end(Status status);

  WatchSink sink_;
  std::optional<json::Excerpt> glance_;
  std::unique_ptr<net::Call> call_;
  std::string partial_;  // the beginning of a line
  bool ended_ = false;
};

}  // namespace muster::client
