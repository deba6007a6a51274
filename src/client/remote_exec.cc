#include "client/remote_exec.h"

#include "client/exec_channels.h"
#include "net/web_socket.h"

namespace muster::client {
namespace {

constexpr std::size_t kMaxStatus = std::size_t{64} * 1024;

std::string exec_target(const node::ExecRequest& request) {
  const char* subresource = request.command.empty() ? "attach" : "exec";
  std::string out = path_of({{"", "v1", "pods"}, request.ns, request.pod, subresource});
  out += "?container=" + net::percent_encode(request.container);
  for (const std::string& word : request.command) out += "&command=" + net::percent_encode(word);
  if (request.with_stdin) out += "&stdin=true";
  if (request.with_stdout) out += "&stdout=true";
  if (request.with_stderr) out += "&stderr=true";
  if (request.tty) out += "&tty=true";
  return out;
}

/// What the callbacks of the call share with the session. It lives until the session is destroyed.
class ExecConversation : public std::enable_shared_from_this<ExecConversation> {
 public:
  ExecConversation(Rng& rng, node::ExecSink sink) : rng_(rng), sink_(std::move(sink)) {}

  void start(ApiClient& api, const node::ExecRequest& request) {
    const std::string key = net::make_handshake_key(rng_);
    const std::vector<std::string> protocols{std::string(kExecProtocolV5), std::string(kExecProtocolV4)};
    net::ResponseSink sink;
    sink.on_head = [weak = weak_from_this(), key, protocols](int, const net::Headers& headers) {
      if (const auto self = weak.lock()) self->on_head(headers, key, protocols);
    };
    sink.on_data = [weak = weak_from_this()](std::string_view bytes) {
      const auto self = weak.lock();
      if (self && self->socket_) self->socket_->take(bytes);
    };
    sink.on_end = [weak = weak_from_this()](Status status) {
      const auto self = weak.lock();
      if (self) self->on_end(std::move(status));
    };
    call_ = api.stream("GET", exec_target(request), std::move(sink), net::make_handshake(key, protocols));
  }

  void stop() {
    done_ = true;
    socket_.reset();
    call_.reset();
  }

  /// Before the server has agreed, messages wait; a client sends little until it has seen a prompt.
  void send(Channel channel, std::string_view bytes) {
    if (done_) return;
    if (socket_ != nullptr) return socket_->send(bytes, channel_prefix(channel));
    waiting_bytes_ += bytes.size();
    waiting_.push_back({channel, std::string(bytes)});
  }
  void close_stdin() {
    if (socket_ != nullptr && !is_v5_) return;  // v4 cannot express it
    send(Channel::kClose, channel_prefix(Channel::kStdin));
  }

  std::size_t unsent() const { return waiting_bytes_ + (call_ != nullptr ? call_->unsent() : 0); }
  net::Call* call() { return call_.get(); }
  void when_room(std::size_t bytes, Task task) {
    if (socket_ == nullptr) {
      room_ = {bytes, std::move(task)};
    } else if (call_ != nullptr) {
      call_->when_room(bytes, std::move(task));
    }
  }

 private:
  void on_head(const net::Headers& headers, const std::string& key, const std::vector<std::string>& protocols) {
    if (const Status accepted = net::check_accepted(headers, key, protocols); !accepted) return end(accepted.error());
    is_v5_ = headers.get("Sec-WebSocket-Protocol") == kExecProtocolV5;
    net::WebSocketSink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) {
      if (const auto part = channels_.take(bytes, first, last)) take(*part);
    };
    sink.on_close = [this](net::CloseCode, const std::string&) { on_end(ok()); };
    socket_ = std::make_shared<net::WebSocket>(*call_, net::WebSocketRole::kClient, &rng_, std::move(sink));
    for (const auto& [channel, bytes] : std::exchange(waiting_, {})) {
      if (channel != Channel::kClose || is_v5_) socket_->send(bytes, channel_prefix(channel));
    }
    waiting_bytes_ = 0;
    if (room_.second) call_->when_room(room_.first, std::move(room_.second));
  }

  void take(const ChannelReader::Part& part) {
    if (done_) return;
    if (part.channel == Channel::kStdout && !part.bytes.empty() && sink_.on_stdout) sink_.on_stdout(part.bytes);
    if (part.channel == Channel::kStderr && !part.bytes.empty() && sink_.on_stderr) sink_.on_stderr(part.bytes);
    if (part.channel != Channel::kStatus) return;
    if (status_.size() < kMaxStatus) status_ += part.bytes;
    if (part.last && !status_.empty()) end(exit_from_status(status_));
  }

  void on_end(Status status) {
    if (done_) return;
    if (status) {
      status = Error{.reason = Reason::kServiceUnavailable,
                     .message = "the connection ended before the command did; how it ended is unknown"};
    }
    end(std::move(status).error());
  }

  void end(Result<int> exit) {
    if (std::exchange(done_, true)) return;
    if (sink_.on_exit) sink_.on_exit(std::move(exit));
  }

  Rng& rng_;
  node::ExecSink sink_;
  std::unique_ptr<net::Call> call_;
  std::shared_ptr<net::WebSocket> socket_;  // null until the server has agreed
  bool is_v5_ = true;
  ChannelReader channels_;
  std::string status_;
  std::vector<std::pair<Channel, std::string>> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::pair<std::size_t, Task> room_;
  bool done_ = false;
};

class RemoteExec final : public node::ExecSession {
 public:
  explicit RemoteExec(std::shared_ptr<ExecConversation> conversation) : conversation_(std::move(conversation)) {}
  ~RemoteExec() override { conversation_->stop(); }

  void write_stdin(std::string_view bytes) override { conversation_->send(Channel::kStdin, bytes); }
  void close_stdin() override { conversation_->close_stdin(); }
  void resize(node::TerminalSize size) override { conversation_->send(Channel::kResize, resize_message(size)); }
  std::size_t unsent_stdin() const override { return conversation_->unsent(); }
  void when_stdin_room(std::size_t bytes, Task task) override { conversation_->when_room(bytes, std::move(task)); }
  void pause_output() override {
    if (conversation_->call() != nullptr) conversation_->call()->pause_input();
  }
  void resume_output() override {
    if (conversation_->call() != nullptr) conversation_->call()->resume_input();
  }

 private:
  std::shared_ptr<ExecConversation> conversation_;
};

}  // namespace

std::unique_ptr<node::ExecSession> open_exec(ApiClient& api, Rng& rng, const node::ExecRequest& request,
                                             node::ExecSink sink) {
  auto conversation = std::make_shared<ExecConversation>(rng, std::move(sink));
  conversation->start(api, request);
  return std::make_unique<RemoteExec>(std::move(conversation));
}

}  // namespace muster::client
