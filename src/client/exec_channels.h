// The protocols v4.channel.k8s.io and v5.channel.k8s.io: exec and attach as WebSocket messages. The first byte of each
// message is the number of a channel.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "node/exec.h"

namespace muster::client {

inline constexpr std::string_view kExecProtocolV5 = "v5.channel.k8s.io";
inline constexpr std::string_view kExecProtocolV4 = "v4.channel.k8s.io";

enum class Channel : unsigned char {
  kStdin = 0,
  kStdout = 1,
  kStderr = 2,
  kStatus = 3,  // a metav1.Status, once, at the end
  kResize = 4,  // {"Width":80,"Height":24}
  kClose = 255  // v5: the number of a channel on which nothing more comes
};

/// The prefix of a message on this channel.
std::string channel_prefix(Channel channel);

/// Finds the channel of each message, which arrives in pieces.
class ChannelReader {
 public:
  struct Part {
    Channel channel;
    std::string_view bytes;
    bool last;
  };
  /// Returns nullopt for a piece without a byte, before the channel is known.
  std::optional<Part> take(std::string_view bytes, bool first, bool last);

 private:
  std::optional<Channel> channel_;
};

std::string resize_message(node::TerminalSize size);
std::optional<node::TerminalSize> parse_resize(std::string_view message);

/// The end of a program as a Status, and back. An exit code other than 0 is a failure with reason NonZeroExitCode.
json::Document status_of_exit(const Result<int>& exit);
Result<int> exit_from_status(std::string_view text);

}  // namespace muster::client
