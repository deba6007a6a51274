#include "door/door.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/log.h"
#include "base/strings.h"
#include "door/format.h"
#include "door/program.h"
#include "linux/files.h"
#include "linux/packet_socket.h"
#include "shim/format.h"

namespace muster::door {
namespace {

constexpr int kAnswerMs = 5000;
constexpr Duration kRetry = std::chrono::milliseconds(200);

std::string lock_of(const std::string& directory) {
  return directory + "/" MUSTER_DOOR_LOCK;
}

/// Older versions stay: one may still run.
Result<std::string> install(const std::string& directory) {
  const std::string_view bytes = program_bytes();
  std::string path = fmt::format("{}/door-{:016x}", directory, muster_checksum(bytes.data(), bytes.size()));
  TRY(linux_os::write_program(path, bytes));
  return path;
}

/// Waits for the door's next packet. NotFound: it has ended.
Result<linux_os::Packet> answer_of(const Fd& link, const std::string& directory) {
  pollfd polled{.fd = link.get(), .events = POLLIN, .revents = 0};
  int ready = 0;
  while ((ready = ::poll(&polled, 1, kAnswerMs)) < 0 && errno == EINTR) continue;
  if (ready == 0) {
    return Error{.reason = Reason::kTimeout,
                 .message = fmt::format("the process that holds the engine's port does not answer; end it: fuser -k {}",
                                        lock_of(directory))};
  }
  auto packet = linux_os::receive_packet(link, MUSTER_DOOR_PACKET_MAX);
  if (packet && *packet) return std::move(**packet);
  return Error{.reason = Reason::kNotFound, .message = "the process that holds the engine's port has ended"};
}

}  // namespace

Door::~Door() {
  loop_.cancel(watch_);
  loop_.cancel(retry_);
}

Status Door::take(std::string_view token) {
  auto link = linux_os::connect_packet_socket(directory_, MUSTER_DOOR_SOCKET);
  if (!link) return ok();
  if (!linux_os::send_packet(*link, fmt::format("take {}", token))) return ok();
  auto answer = answer_of(*link, directory_);
  if (!answer) return answer.error().reason == Reason::kNotFound ? ok() : Status(answer.error());
  taken_ = std::move(answer->fds);
  count_ = taken_.size();
  link_ = *std::move(link);
  return ok();
}

void Door::use(std::vector<Fd> sockets) {
  taken_ = std::move(sockets);
  count_ = taken_.size();
  is_needed_ = false;
}

Status Door::drop_taken() {
  taken_.clear();
  if (!link_) return ok();
  TRY(linux_os::send_packet(link_, "drop"));
  auto answer = answer_of(link_, directory_);
  return answer ? ok() : Status(answer.error());
}

void Door::hold(std::vector<int> sockets) {
  taken_.clear();
  sockets_ = std::move(sockets);
  if (is_needed_) keep();
}

/// Without a door the engine still serves, so it warns and tries again.
void Door::keep() {
  retry_ = 0;
  Status kept = link_ ? ok() : start();
  if (kept) kept = send_sockets();
  if (kept) {
    watch_ = loop_.on_readable(link_.get(), [this] { hear(); });
    return;
  }
  link_.reset();
  LOG_WARN("no process holds the engine's port; trying again", {"error", kept.error().message});
  retry_ = loop_.after(kRetry, [this] { keep(); });
}

Status Door::send_sockets() {
  return linux_os::send_packet(link_, "hold", sockets_);
}

/// The door has nothing to say unasked. When somebody has killed it, another one is needed.
void Door::hear() {
  const auto packet = linux_os::receive_packet(link_, MUSTER_DOOR_PACKET_MAX);
  if (packet) return;
  loop_.cancel(watch_);
  link_.reset();
  retry_ = loop_.after(kRetry, [this] { keep(); });
}

/// Everything that the door needs exists before it runs, so the engine never waits for it and may end at any time.
Status Door::start() {
  if (child_) linux_os::has_ended(child_->pidfd);  // so that the kernel forgets the one before
  const std::string path = lock_of(directory_);
  const Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return errno_error("open " + quote(path), errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return errno_error("lock " + quote(path), errno);
  TRY_ASSIGN(const std::string program, install(directory_));
  ::unlink((directory_ + "/" MUSTER_DOOR_SOCKET).c_str());
  TRY_ASSIGN(const Fd named, linux_os::listen_packet_socket(directory_, MUSTER_DOOR_SOCKET));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("socketpair", errno);
  }
  Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return errno_error("open \"/dev/null\"", errno);
  TRY_ASSIGN(child_, linux_os::spawn({.program = program,
                                      .args = {"muster-door", directory_},
                                      .env = {},
                                      .fds = {{null.get(), 0},
                                              {null.get(), 1},
                                              {null.get(), 2},
                                              {theirs.get(), MUSTER_DOOR_ENGINE_FD},
                                              {named.get(), MUSTER_DOOR_SOCKET_FD},
                                              {lock.get(), MUSTER_DOOR_LOCK_FD}}}));
  link_ = std::move(ours);
  return ok();
}

void Door::close(bool pods_run) {
  loop_.cancel(watch_);
  loop_.cancel(retry_);
  if (!link_) return;
  // A door that has just ended needs no word.
  (void)linux_os::send_packet(link_, pods_run ? "stopped" : "end");
  while (!pods_run && answer_of(link_, directory_)) continue;
  link_.reset();
}

Status end_door(const std::string& directory, std::string_view token) {
  auto link = linux_os::connect_packet_socket(directory, MUSTER_DOOR_SOCKET);
  if (!link || !linux_os::send_packet(*link, fmt::format("end {}", token))) return ok();
  const auto answer = answer_of(*link, directory);
  if (!answer && answer.error().reason == Reason::kTimeout) return answer.error();
  return ok();
}

bool has_door(const std::string& directory) {
  return linux_os::is_locked(lock_of(directory));
}

}  // namespace muster::door
