#include "agent/network/network_owner.h"

#include <fcntl.h>

#include <utility>

#include "base/strings.h"
#include "linux/packet_socket.h"
#include "linux/process.h"
#include "shim/encode_fields.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

Error owner_has_ended() {
  return {.reason = Reason::kServiceUnavailable, .message = "the owner of the pod's network has ended"};
}

/// The kernel drops a descriptor for which this process has no room. An empty one must not pass for a socket: where it
/// is used, it could stand for the network of the machine.
NetworkOwner::OnFd with_descriptor(NetworkOwner::OnFd done) {
  return [done = std::move(done)](Result<Fd> result) mutable {
    if (!result || *result) return done(std::move(result));
    done(Error{
        .reason = Reason::kServiceUnavailable,
        .message = "the pod's network: its socket did not arrive; the engine has too many files open (ulimit -n)"});
  };
}

}  // namespace

void end_network(const std::string& folder) {
  const auto socket = linux_os::connect_packet_socket(folder, MUSTER_CONTROL);
  std::string request;
  shim::put_fields(request, {"end", "1"});
  if (socket) (void)linux_os::send_packet(*socket, request);
}

Result<std::unique_ptr<NetworkOwner>> NetworkOwner::start(Loop& loop, const std::string& shim_program,
                                                          const std::string& folder, const NetworkPolicy& policy,
                                                          const Shared& shared) {
  // The socket exists before the owner does: shims connect at once and wait for its answer.
  TRY_ASSIGN(const Fd listening, linux_os::listen_packet_socket(folder, MUSTER_CONTROL));
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_error("open \"/dev/null\"", errno);
  TRY(linux_os::spawn({.program = shim_program,
                       .args = {"muster-shim", "network", folder, shared.own_network ? policy.pasta : "",
                                policy.resolver, std::to_string(shared.memory), shared.own_network ? "own" : "host"},
                       .env = {},
                       .fds = {{listening.get(), 0}, {null.get(), 1}, {null.get(), 2}}}));
  return find(loop, folder);
}

Result<std::unique_ptr<NetworkOwner>> NetworkOwner::find(Loop& loop, const std::string& folder) {
  TRY_ASSIGN(Fd socket, linux_os::connect_packet_socket(folder, MUSTER_CONTROL));
  return std::make_unique<NetworkOwner>(loop, std::move(socket));
}

NetworkOwner::NetworkOwner(Loop& loop, Fd socket) : loop_(loop), socket_(std::move(socket)) {
  if (socket_) readable_id_ = loop_.on_readable(socket_.get(), [this] { read_packets(); });
}

NetworkOwner::~NetworkOwner() {
  if (readable_id_ != 0) loop_.cancel(readable_id_);
}

void NetworkOwner::open_socket(int domain, int type, int protocol, OnFd done) {
  request("socket", {std::to_string(domain), std::to_string(type), std::to_string(protocol)},
          with_descriptor(std::move(done)));
}

void NetworkOwner::listen(const std::string& address, int port, OnFd done) {
  request("listen", {address, std::to_string(port)}, with_descriptor(std::move(done)));
}

void NetworkOwner::open_channel(OnFd done) {
  request("channel", {}, with_descriptor(std::move(done)));
}

void NetworkOwner::forward(const std::string& address, int port, int to_port, Fd channel, OnFd done) {
  request("forward", {address, std::to_string(port), address, std::to_string(to_port)}, std::move(done), channel);
}

void NetworkOwner::forward_to_machine(const std::string& address, int port, OnFd done) {
  request("forward-to-machine", {address, std::to_string(port), address, std::to_string(port)}, std::move(done));
}

void NetworkOwner::unforward(const std::string& address, int port) {
  request("unforward", {address, std::to_string(port)}, [](const Result<Fd>&) {});
}

void NetworkOwner::end() {
  request("end", {}, [](const Result<Fd>&) {});
}

void NetworkOwner::request(std::string_view verb, const std::vector<std::string>& fields, OnFd done, const Fd& fd) {
  const std::uint64_t id = ++last_id_;
  std::string bytes;
  shim::put_fields(bytes, {verb, std::to_string(id)});
  for (const std::string& field : fields) shim::put_fields(bytes, {field});
  pending_.emplace(id, std::move(done));
  Status sent = owner_has_ended();
  if (socket_ && fd) sent = linux_os::send_packet(socket_, bytes, {fd.get()});
  if (socket_ && !fd) sent = linux_os::send_packet(socket_, bytes);
  if (!sent) loop_.post(lifetime_.guard([this, id, error = sent.error()] { finish(id, error); }));
}

void NetworkOwner::finish(std::uint64_t id, Result<Fd> result) {
  auto node = pending_.extract(id);
  if (!node.empty()) node.mapped()(std::move(result));
}

void NetworkOwner::read_packets() {
  const auto life = lifetime_.watch();
  while (!life.over() && socket_) {
    auto packet = linux_os::receive_packet(socket_, MUSTER_PACKET_MAX);
    if (!packet) return close();
    if (!*packet) return;
    const auto fields = shim::split_fields((*packet)->bytes);
    if (fields.size() < 2) continue;
    const auto id = static_cast<std::uint64_t>(parse_int(fields[1]).value_or(0));
    if (fields[0] == "ok") {
      finish(id, (*packet)->fds.empty() ? Fd() : std::move((*packet)->fds[0]));
    } else {
      finish(id, Error{.reason = Reason::kServiceUnavailable,
                       .message = "the pod's network: " + std::string(fields.size() > 2 ? fields[2] : "refused")});
    }
  }
}

void NetworkOwner::close() {
  loop_.cancel(std::exchange(readable_id_, 0));
  socket_.reset();
  const auto life = lifetime_.watch();
  while (!life.over() && !pending_.empty()) finish(pending_.begin()->first, owner_has_ended());
}

}  // namespace muster::agent
