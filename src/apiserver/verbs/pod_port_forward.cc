// pods/NAME/portforward: connections to the ports of a pod in a WebSocket.
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "apiserver/errors/status_error.h"
#include "apiserver/verbs/pod_container.h"
#include "apiserver/verbs/spdy_forward.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "base/strings.h"
#include "client/exec_channels.h"
#include "client/remote_port.h"
#include "json/excerpt.h"
#include "net/server_web_socket.h"

namespace muster::apiserver {
namespace {

constexpr std::size_t kMostPorts = 64;  // of one request; each has two channels

/// Tells once when a pod does not run any more: its object has ended or was deleted.
class PodEnd {
 public:
  PodEnd(Context& context, store::Key key, Task on_end)
      : context_(context), server_(context.lifetime.watch()), key_(std::move(key)), on_end_(std::move(on_end)) {
    const auto id = context_.store.watch(key_.resource, context_.store.revision(),
                                         lifetime_.guard([this](const auto& event) { look(*event); }));
    if (id) id_ = *id;
  }
  /// A session can outlive the server, and even the store.
  ~PodEnd() {
    if (id_ != 0 && !server_.over()) context_.store.unwatch(id_);
  }
  PodEnd(const PodEnd&) = delete;
  PodEnd& operator=(const PodEnd&) = delete;

 private:
  void look(const store::Event& event) {
    if (server_.over() || event.key != key_ || !on_end_) return;
    if (event.type != store::EventType::kDeleted) {
      static const json::Excerpt kPhase({"status.phase"});
      const auto pod = kPhase.read(*event.entry.bytes);
      if (pod && pod->string_at("status", "phase") == "Running") return;
    }
    // The store is calling, and what follows ends this watch.
    context_.loop.post(std::exchange(on_end_, nullptr));
  }

  Context& context_;
  Lifetime::Watch server_;
  store::Key key_;
  Task on_end_;
  store::Store::Id id_ = 0;
  Lifetime lifetime_;
};

/// Ends a session with its pod: what listens at the address of the pod later is nothing of it.
template <typename Forward>
void end_with_pod(Context& context, const store::Key& key, const std::shared_ptr<Forward>& forward) {
  forward->keep(std::make_shared<PodEnd>(context, key, [weak = std::weak_ptr<Forward>(forward)] {
    if (const auto live = weak.lock()) live->close("the pod has ended");
  }));
}

/// The older protocol: one connection to each port that the request names, each with two channels, 2 N for its data and
/// 2 N + 1 for its error. The first message on each channel is the number of the port. There is no way to say that one
/// side has finished, so a connection ends when the program does.
class ChannelForward : public std::enable_shared_from_this<ChannelForward> {
 public:
  ChannelForward(Loop& loop, std::shared_ptr<net::Exchange> exchange, std::string pod)
      : loop_(loop), socket_(loop, std::move(exchange)), pod_(std::move(pod)) {}

  void start(const OpenPort& open, const std::vector<int>& ports, const net::Request& handshake,
             const std::string& protocol) {
    net::ServerWebSocket::Sink sink;
    sink.on_message = [this](std::string_view bytes, bool first, bool last) {
      if (const auto part = reader_.take(bytes, first, last)) take(*part);
    };
    sink.on_full = [this](bool is_full) {
      for (Connection& one : connections_) {
        if (one.session == nullptr) continue;
        is_full ? one.session->pause() : one.session->resume();
      }
    };
    sink.on_end = [this] {
      connections_.clear();
      kept_.reset();
    };
    socket_.start(shared_from_this(), handshake, protocol, std::move(sink));
    for (const int port : ports) connections_.push_back({.port = port});
    for (std::size_t i = 0; i < ports.size(); ++i) connect(open, i);
  }
  /// As in SpdyForward.
  void close(std::string_view why) { socket_.close(net::CloseCode::kNormal, why); }
  void keep(std::shared_ptr<void> kept) { kept_ = std::move(kept); }

 private:
  struct Connection {
    int port = 0;
    std::unique_ptr<node::PortSession> session = nullptr;
    bool is_connected = false;
    bool is_full = false;
    bool ended = false;
  };

  static std::string data_prefix(std::size_t i) { return {static_cast<char>(2 * i)}; }
  static std::string error_prefix(std::size_t i) { return {static_cast<char>(2 * i + 1)}; }

  void connect(const OpenPort& open, std::size_t i) {
    const int port = connections_[i].port;
    const std::string number{static_cast<char>(port & 0xff), static_cast<char>(port >> 8)};
    socket_.send(number, data_prefix(i));
    socket_.send(number, error_prefix(i));
    node::PortSink sink;
    sink.on_connected = [weak = weak_from_this(), i] {
      if (const auto self = weak.lock(); self && i < self->connections_.size())
        self->connections_[i].is_connected = true;
    };
    sink.on_bytes = [weak = weak_from_this(), i](std::string_view bytes) {
      if (const auto self = weak.lock()) self->socket_.send(bytes, data_prefix(i));
    };
    sink.on_finish = [weak = weak_from_this(), i] {
      if (const auto self = weak.lock()) self->end(i, ok());
    };
    sink.on_end = [weak = weak_from_this(), i](const Status& how) {
      if (const auto self = weak.lock()) self->end(i, how);
    };
    auto session = open(port, std::move(sink));
    if (!session) return end(i, session.error());
    connections_[i].session = *std::move(session);
    if (socket_.is_full()) connections_[i].session->pause();
  }

  void take(const client::ChannelReader::Part& part) {
    const auto channel = static_cast<unsigned char>(part.channel);
    const std::size_t i = channel / 2;
    if (channel % 2 != 0 || i >= connections_.size() || connections_[i].session == nullptr) return;
    Connection& connection = connections_[i];
    connection.session->write(part.bytes);
    if (connection.is_full || connection.session->unsent() <= kMostUnsentToPort) return;
    connection.is_full = true;
    socket_.pause_input();
    connection.session->when_room(kMostUnsentToPort / 2, [weak = weak_from_this(), i] {
      if (const auto self = weak.lock()) self->resume_client(i);
    });
  }

  void resume_client(std::size_t i) {
    if (i >= connections_.size()) return;
    connections_[i].is_full = false;
    for (const Connection& one : connections_) {
      if (one.is_full) return;
    }
    socket_.resume_input();
  }

  void end(std::size_t i, const Status& how) {
    if (i >= connections_.size() || std::exchange(connections_[i].ended, true)) return;
    if (!how && !connections_[i].is_connected) {
      socket_.send(forward_error(connections_[i].port, pod_, how.error().message), error_prefix(i));
    }
    // The session may be calling.
    loop_.post([session = std::move(connections_[i].session)] {});
    if (connections_[i].is_full) resume_client(i);
    for (const Connection& one : connections_) {
      if (!one.ended) return;
    }
    socket_.close(net::CloseCode::kNormal);
  }

  Loop& loop_;
  net::ServerWebSocket socket_;
  std::string pod_;
  client::ChannelReader reader_;
  std::vector<Connection> connections_;
  std::shared_ptr<void> kept_;
};

Result<std::vector<int>> parse_ports(const Query& query) {
  std::vector<int> ports;
  for (const std::string& list : query.all("ports")) {
    for (const std::string& text : split(list, ',')) {
      const auto port = parse_port(text);
      if (!port) return bad_request(fmt::format("ports: {} is not a port; name numbers from 1 to 65535", quote(text)));
      ports.push_back(*port);
    }
  }
  if (ports.empty()) return bad_request("query parameter \"ports\" is required");
  if (ports.size() > kMostPorts) {
    return bad_request(fmt::format("ports: at most {} ports, got {}", kMostPorts, ports.size()));
  }
  return ports;
}

Result<std::string> choose_forward_protocol(const net::Request& http) {
  if (http.headers.get("Upgrade").starts_with("SPDY/")) {
    return bad_request(
        "port-forward is served over WebSocket only, got SPDY; use kubectl 1.31 or newer, kubectl 1.30 with "
        "KUBECTL_PORT_FORWARD_WEBSOCKETS=true, or muster port-forward");
  }
  return net::choose_protocol(http, {std::string(client::kTunnelProtocol), std::string(client::kExecProtocolV4)});
}

}  // namespace

void forward_ports(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const store::Entry* entry = context.store.get(key_of(*request.resource, request.ns, request.name));
  if (entry == nullptr) return reply.fail(not_found(*request.resource, request.name));
  const auto pod = json::parse(*entry->bytes);
  if (!pod) return reply.fail(pod.error());
  if (pod->string_at("spec", "nodeName").empty()) {
    return reply.fail(bad_request(fmt::format("pod {} does not have a host assigned", request.name)));
  }
  if (!net::asks_for_upgrade(http.headers)) return reply.fail(bad_request("Upgrade request required"));
  const auto protocol = choose_forward_protocol(http);
  if (!protocol) return reply.fail(protocol.error());
  const std::string& phase = pod->string_at("status", "phase");
  if (phase != "Running") {
    return reply.fail(Error{
        .reason = Reason::kInternalError,
        .message = fmt::format("unable to upgrade connection: pod {} is not running: it is {}", request.name, phase)});
  }
  const bool is_tunnel = *protocol == client::kTunnelProtocol;
  auto ports = is_tunnel ? Result<std::vector<int>>(std::vector<int>()) : parse_ports(request.query);
  if (!ports) return reply.fail(ports.error());
  if (context.node == nullptr) return reply.fail(no_node_yet(request.subresource));
  OpenPort open = [&context, alive = context.lifetime.watch(),
                   to = node::PortRequest{.ns = request.ns,
                                          .pod = request.name,
                                          .pod_uid = pod->string_at("metadata", "uid"),
                                          .address = pod->string_at("status", "podIP")}](
                      int port, node::PortSink sink) -> Result<std::unique_ptr<node::PortSession>> {
    if (alive.over() || context.node == nullptr) return no_node_yet("portforward");
    node::PortRequest one = to;
    one.port = port;
    return context.node->connect(one, std::move(sink));
  };
  const std::string named = fmt::format("{}, uid {}", request.name, pod->string_at("metadata", "uid"));
  const store::Key key = key_of(*request.resource, request.ns, request.name);
  if (is_tunnel) {
    const auto forward = std::make_shared<SpdyForward>(context.loop, reply.exchange(), std::move(open), named);
    end_with_pod(context, key, forward);
    forward->start(http, *protocol);
  } else {
    const auto forward = std::make_shared<ChannelForward>(context.loop, reply.exchange(), named);
    end_with_pod(context, key, forward);
    forward->start(open, *ports, http, *protocol);
  }
}

}  // namespace muster::apiserver
