#include "agent/ports/program_check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

struct Listener {
  Listener() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), size);
    ::listen(socket.get(), 10);
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &size);
  }
  Fd connect() const {
    Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return client;
  }
  Fd socket;
  sockaddr_in at{};
};

/// A process that is the first one of a PID namespace, as a pod's is. It keeps the sockets that it is born with until
/// this object ends, and accepts a connection when it is told to.
class FirstProcess {
 public:
  explicit FirstProcess(const Listener& listener) {
    int down[2];
    int up[2];
    if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) return;
    const pid_t parent = ::fork();
    if (parent == 0) {
      const bool may = ::unshare(CLONE_NEWPID) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
      const pid_t first = may ? ::fork() : -1;
      if (first == 0) {
        ::close(down[1]);
        char word = 0;
        while (::read(down[0], &word, 1) == 1) {
          if (::accept(listener.socket.get(), nullptr, nullptr) < 0) break;
          (void)!::write(up[1], &word, 1);
        }
        ::_exit(0);
      }
      (void)!::write(up[1], &first, sizeof first);
      ::_exit(0);
    }
    ::waitpid(parent, nullptr, 0);
    if (::read(up[0], &pid, sizeof pid) != static_cast<ssize_t>(sizeof pid)) pid = -1;
    for (const int fd : {down[0], up[1]}) ::close(fd);
    say_ = Fd(down[1]);
    hear_ = Fd(up[0]);
  }
  void accept() const {
    char word = 'a';
    EXPECT_EQ(::write(say_.get(), &word, 1), 1);
    EXPECT_EQ(::read(hear_.get(), &word, 1), 1);
  }
  pid_t pid = -1;

 private:
  Fd say_;
  Fd hear_;
};

Status check(const Fd& connection, pid_t init) {
  const auto ends = linux_os::ends_of(connection.get());
  EXPECT_TRUE(ends);
  return check_program(*ends, init);
}

TEST(ProgramCheck, AConnectionThatOnlyThePodCanReadIsGood) {
  Listener listener;
  const FirstProcess pod(listener);
  if (pod.pid <= 0) GTEST_SKIP() << "this user may not make PID namespaces";
  listener.socket = Fd();
  const Fd waiting = listener.connect();
  EXPECT_TRUE(check(waiting, pod.pid)) << "not accepted yet";
  pod.accept();
  const Status accepted = check(waiting, pod.pid);
  EXPECT_TRUE(accepted) << accepted.error().message;
}

TEST(ProgramCheck, AConnectionToAnotherProcessIsNot) {
  const Listener listener;
  Listener of_pod;
  const FirstProcess pod(of_pod);
  if (pod.pid <= 0) GTEST_SKIP() << "this user may not make PID namespaces";
  of_pod.socket = Fd();
  // The pod has inherited this one as well, as if it had been given to it; what has been accepted is not its own.
  const Fd connection = listener.connect();
  const Fd accepted(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const Status how = check(connection, pod.pid);
  ASSERT_FALSE(how);
  EXPECT_EQ(how.error().reason, Reason::kConflict);
  EXPECT_THAT(how.error().message, HasSubstr("is taken by another process"));
  // A connection that a stranger has accepted stays the stranger's when the pod listens there afterwards.
  const Listener stranger;
  const Fd unaccepted = stranger.connect();
  EXPECT_FALSE(check(unaccepted, pod.pid));
}

}  // namespace
}  // namespace muster::agent
