// pods/NAME/exec and pods/NAME/attach: a WebSocket between a client and a program in a container.
#include <fmt/core.h>

#include <memory>

#include "apiserver/admission/owner_claims.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/verbs/pod_container.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "client/exec_channels.h"
#include "net/server_web_socket.h"

namespace muster::apiserver {
namespace {

using client::Channel;

// The client waits while the program has not taken this much of its input.
constexpr std::size_t kMostUnsentInput = std::size_t{256} << 10;
constexpr std::size_t kMostResizeBytes = 1024;

/// Reads the parameters as a kubelet does.
Result<node::ExecRequest> parse_exec_request(const ResourceRequest& request, const json::Document& pod) {
  node::ExecRequest out;
  out.ns = request.ns;
  out.pod = request.name;
  out.pod_uid = pod.string_at("metadata", "uid");
  TRY_ASSIGN(out.container, choose_container(pod, request.query.get("container")));
  out.with_stdin = request.query.flag("stdin");
  out.with_stdout = request.query.flag("stdout");
  out.tty = request.query.flag("tty");
  out.with_stderr = request.query.flag("stderr") && !out.tty;
  if (request.subresource == "exec") out.command = request.query.all("command");
  return out;
}

/// The kubelet's checks, which a kube-apiserver makes only after it knows that the request is an upgrade.
Status check_exec(const node::ExecRequest& exec, const ResourceRequest& request, const json::Document& pod) {
  if (!exec.with_stdin && !exec.with_stdout && !exec.with_stderr) {
    return bad_request("you must specify at least 1 of stdin, stdout, stderr");
  }
  if (request.subresource == "exec" && (exec.command.empty() || exec.command.front().empty())) {
    return bad_request("you must specify at least one command for the container");
  }
  const json::Document* status = container_status(pod, exec.container);
  if (status != nullptr && status->at("state", "running") != nullptr) return ok();
  return Error{.reason = Reason::kInternalError,
               .message = fmt::format("unable to upgrade connection: container not found (\"{}\"): it is not running, "
                                      "and pod {} is {}",
                                      exec.container, exec.pod, pod.string_at("status", "phase"))};
}

/// The protocol to speak: the first of the client's that is served here.
Result<std::string> choose_protocol(const net::Request& http) {
  const std::string_view upgrade = http.headers.get("Upgrade");
  if (upgrade.starts_with("SPDY/")) {
    return bad_request(
        "exec and attach are served over WebSocket only, got SPDY; use kubectl 1.30 or newer, kubectl 1.29 with "
        "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true, or muster exec");
  }
  return net::choose_protocol(http, {std::string(client::kExecProtocolV5), std::string(client::kExecProtocolV4)});
}

/// A program that did not start is an internal error of the kubelet, whatever the reason.
Result<int> as_kubelet(Result<int> exit) {
  if (exit) return exit;
  return Error{.reason = Reason::kInternalError,
               .message = "Internal error occurred: error executing command in container: " + exit.error().message};
}

/// Connects the client's WebSocket with the program's streams.
class ExecBridge : public std::enable_shared_from_this<ExecBridge> {
 public:
  ExecBridge(Loop& loop, std::shared_ptr<net::Exchange> exchange) : socket_(loop, std::move(exchange)) {}

  node::ExecSink program_sink() {
    node::ExecSink sink;
    sink.on_stdout = [weak = weak_from_this()](std::string_view bytes) {
      if (const auto self = weak.lock()) self->send(Channel::kStdout, bytes);
    };
    sink.on_stderr = [weak = weak_from_this()](std::string_view bytes) {
      if (const auto self = weak.lock()) self->send(Channel::kStderr, bytes);
    };
    sink.on_exit = [weak = weak_from_this()](Result<int> exit) {
      if (const auto self = weak.lock()) self->on_exit(exit);
    };
    return sink;
  }

  void start(std::unique_ptr<node::ExecSession> program, const node::ExecRequest& request,
             const net::Request& handshake, const std::string& protocol) {
    program_ = std::move(program);
    with_stdin_ = request.with_stdin;
    net::ServerWebSocket::Sink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) {
      if (const auto part = channels_.take(bytes, first, last)) take(*part);
    };
    sink.on_full = [this](bool is_full) { is_full ? program_->pause_output() : program_->resume_output(); };
    sink.on_end = [this] { program_.reset(); };
    socket_.start(shared_from_this(), handshake, protocol, std::move(sink));
    // As the kubelet does, so that a client knows that the program has been started although it says nothing.
    socket_.send("", client::channel_prefix(request.with_stdout   ? Channel::kStdout
                                            : request.with_stderr ? Channel::kStderr
                                                                  : Channel::kStatus));
  }

 private:
  void send(Channel channel, std::string_view bytes) {
    if (!bytes.empty()) socket_.send(bytes, client::channel_prefix(channel));
  }

  void on_exit(const Result<int>& exit) {
    send(Channel::kStatus, json::serialize(client::status_of_exit(as_kubelet(exit))));
    socket_.close(net::CloseCode::kNormal);
  }

  void take(const client::ChannelReader::Part& part) {
    switch (part.channel) {
      case Channel::kStdin:
        return take_stdin(part.bytes);
      case Channel::kResize:
        if (resize_.size() + part.bytes.size() <= kMostResizeBytes) resize_ += part.bytes;
        if (!part.last) return;
        if (const auto size = client::parse_resize(std::exchange(resize_, {}))) program_->resize(*size);
        return;
      case Channel::kClose:
        if (with_stdin_ && part.bytes == client::channel_prefix(Channel::kStdin)) program_->close_stdin();
        return;
      default:
        return;  // as in Kubernetes, what a client sends on other channels is ignored
    }
  }

  void take_stdin(std::string_view bytes) {
    if (!with_stdin_ || bytes.empty()) return;
    program_->write_stdin(bytes);
    if (program_->unsent_stdin() <= kMostUnsentInput) return;
    socket_.pause_input();
    program_->when_stdin_room(kMostUnsentInput / 2, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->socket_.resume_input();
    });
  }

  net::ServerWebSocket socket_;
  std::unique_ptr<node::ExecSession> program_;
  client::ChannelReader channels_;
  std::string resize_;  // the message on channel 4 that is arriving
  bool with_stdin_ = false;
};

}  // namespace

void exec_in_pod(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const store::Entry* entry = context.store.get(key_of(*request.resource, request.ns, request.name));
  if (entry == nullptr) return reply.fail(not_found(*request.resource, request.name));
  const auto pod = json::parse(*entry->bytes);
  if (!pod) return reply.fail(pod.error());
  if (const Status may = check_entry(context, request, *pod); !may) return reply.fail(may.error());
  const auto exec = parse_exec_request(request, *pod);
  if (!exec) return reply.fail(exec.error());
  if (pod->string_at("spec", "nodeName").empty()) {
    return reply.fail(bad_request(fmt::format("pod {} does not have a host assigned", request.name)));
  }
  if (!net::asks_for_upgrade(http.headers)) return reply.fail(bad_request("Upgrade request required"));
  if (const Status checked = check_exec(*exec, request, *pod); !checked) return reply.fail(checked.error());
  const auto protocol = choose_protocol(http);
  if (!protocol) return reply.fail(protocol.error());
  if (context.node == nullptr) return reply.fail(no_node_yet(request.subresource));
  const auto bridge = std::make_shared<ExecBridge>(context.loop, reply.exchange());
  auto program = exec->command.empty() ? context.node->attach(*exec, bridge->program_sink())
                                       : context.node->exec(*exec, bridge->program_sink());
  if (!program) return reply.fail(program.error());
  bridge->start(*std::move(program), *exec, http, *protocol);
}

}  // namespace muster::apiserver
