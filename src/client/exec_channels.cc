#include "client/exec_channels.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "client/api_client.h"

namespace muster::client {
namespace {

constexpr std::string_view kNonZeroExitCode = "NonZeroExitCode";
constexpr std::string_view kExitCode = "ExitCode";

std::uint16_t clamped_size(std::int64_t value) {
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(value, 0, 0xffff));
}

}  // namespace

std::string channel_prefix(Channel channel) {
  return std::string(1, static_cast<char>(channel));
}

std::optional<ChannelReader::Part> ChannelReader::take(std::string_view bytes, bool first, bool last) {
  if (first) channel_.reset();
  if (!channel_) {
    if (bytes.empty()) return std::nullopt;
    channel_ = static_cast<Channel>(bytes.front());
    bytes.remove_prefix(1);
  }
  return Part{.channel = *channel_, .bytes = bytes, .last = last};
}

std::string resize_message(node::TerminalSize size) {
  return fmt::format(R"({{"Width":{},"Height":{}}})", size.columns, size.rows);
}

std::optional<node::TerminalSize> parse_resize(std::string_view message) {
  const auto size = json::parse(message);
  if (!size || !size->is_object()) return std::nullopt;
  return node::TerminalSize{.rows = clamped_size(size->int_at("Height")),
                            .columns = clamped_size(size->int_at("Width"))};
}

json::Document status_of_exit(const Result<int>& exit) {
  if (!exit) return status_from_error(exit.error());
  if (*exit == 0) return json::Object{{"metadata", json::Object{}}, {"status", "Success"}};
  const json::Array causes{json::Object{{"reason", std::string(kExitCode)}, {"message", std::to_string(*exit)}}};
  return json::Object{{"metadata", json::Object{}},
                      {"status", "Failure"},
                      {"message", fmt::format("command terminated with non-zero exit code: exit status {}", *exit)},
                      {"reason", std::string(kNonZeroExitCode)},
                      {"details", json::Object{{"causes", causes}}}};
}

Result<int> exit_from_status(std::string_view text) {
  const auto status = json::parse(text);
  if (!status || !status->is_object()) {
    return Error{.reason = Reason::kInternalError,
                 .message = fmt::format("the end of the command is not a Status, got {}", quote(text.substr(0, 200)))};
  }
  if (status->string_at("status") == "Success") return 0;
  if (status->string_at("reason") == kNonZeroExitCode) {
    for (const json::Document& cause : status->array_at("details", "causes")) {
      const auto code = parse_int(cause.string_at("message"));
      if (cause.string_at("reason") == kExitCode && code) return static_cast<int>(*code);
    }
  }
  return error_from_status(*status, http_code(Reason::kInternalError));
}

}  // namespace muster::client
