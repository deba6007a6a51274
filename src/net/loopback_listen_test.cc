// Where HttpServer listens and whom it accepts: addresses, TLS, the Unix socket.
#include <fcntl.h>
#include <ifaddrs.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "testing/loopback_fixture.h"

namespace muster::net {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using ListenTest = LoopbackTest;

TEST_F(ListenTest, FullDescriptorTableDelaysConnectionsWithoutSpinning) {
  SKIP_IF_DESCRIPTORS_ARE_NEEDED();
  serve(echo);
  const auto peer = dial();
  peer->send(get_request("/later"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY);  // the lowest free number: no higher descriptor may be opened
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::clock_t began = std::clock();
  pass(std::chrono::milliseconds(350));
  const double cpu_seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_LT(cpu_seconds, 0.2);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ::close(next);
  wait([&] { return peer->received().ends_with("GET /later "); }, "the connection to be taken");
}

/// Returns an IPv4 address of this machine that is not loopback; "" if it has none.
std::string outer_address() {
  std::string address;
  ifaddrs* all = nullptr;
  EXPECT_EQ(::getifaddrs(&all), 0);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text, sizeof text);
    if (!std::string_view(text).starts_with("127.")) address = text;
  }
  ::freeifaddrs(all);
  return address;
}

TEST_F(ListenTest, PlainHttpFromElsewhereIsClosedUnanswered) {
  const std::string address = outer_address();
  if (address.empty()) GTEST_SKIP() << "this machine has no address but loopback";
  bool peer_was_loopback = true;
  serve(
      [&](const Request& request, const std::shared_ptr<Exchange>& exchange) {
        peer_was_loopback = request.peer.loopback;
        exchange->respond(Response{.body = "secure"});
      },
      {}, "0.0.0.0");
  RawPeer peer(loop_, port_, address.c_str());
  peer.send(get_request("/"));
  wait([&] { return peer.ended(); });
  EXPECT_EQ(peer.received(), "");
  HttpClient client(loop_, Endpoint{.host = address, .port = port_, .insecure_skip_verify = true});
  EXPECT_EQ(fetch(client, {.method = "GET", .target = "/"}).body, "secure");
  EXPECT_FALSE(peer_was_loopback);
}

TEST_F(ListenTest, PlainHttpIsForEverybodyWhereThatWasAskedFor) {
  HttpServer server(loop_, {}, echo);
  const auto port = server.listen_plain("", 0);
  ASSERT_TRUE(port.has_value()) << port.error().message;
  const auto again = HttpServer(loop_, {}, echo).listen_plain("", *port);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().reason, Reason::kAlreadyExists);
  const std::string outer = outer_address();
  for (const std::string& address : {std::string("127.0.0.1"), outer.empty() ? std::string("127.0.0.1") : outer}) {
    RawPeer peer(loop_, *port, address.c_str());
    peer.send(get_request("/plain"));
    wait([&] { return peer.received().ends_with("GET /plain "); }, "an answer");
  }
}

TEST_F(ListenTest, DestroyingTheServerDropsItsConnectionsSilently) {
  std::shared_ptr<Exchange> stream;
  bool gone = false;
  serve([&](const Request&, std::shared_ptr<Exchange> exchange) {
    exchange->on_gone([&] { gone = true; });
    exchange->begin(200, {});
    stream = std::move(exchange);
  });
  const auto peer = dial();
  peer->send(get_request("/"));
  wait([&] { return stream != nullptr; });
  server_.reset();
  stream->write(std::make_shared<const std::string>("late"));
  stream->finish();
  wait([&] { return peer->ended(); });
  EXPECT_FALSE(gone);
}

TEST_F(ListenTest, TakenPortIsExplained) {
  serve(echo);
  HttpServer other(loop_, {}, echo);
  const auto again = other.listen("127.0.0.1", port_);
  ASSERT_FALSE(again.has_value());
  const std::string port = std::to_string(port_);
  EXPECT_EQ(again.error().reason, Reason::kAlreadyExists);
  EXPECT_EQ(again.error().message, "listen on 127.0.0.1:" + port +
                                       ": the port is in use; find the program that holds it with `ss -ltnp sport = :" +
                                       port + "`, or choose another with --listen 127.0.0.1:0");
  EXPECT_THAT(other.listen("no.such.host.invalid", 0).error().message,
              AllOf(StartsWith("listen on no.such.host.invalid:0: "),
                    EndsWith("; give an address of this machine, such as 127.0.0.1")));
}

TEST_F(ListenTest, LoopbackMeansBothOfItsAddresses) {
  const Fd six(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  if (::bind(six.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  for (const char* host : {"localhost", "127.0.0.1", "::1"}) {
    serve(echo, {}, host);
    for (const char* name : {"127.0.0.1", "::1"}) {
      HttpClient client(loop_, Endpoint{.host = name, .port = port_, .tls = false});
      EXPECT_EQ(fetch(client, {.method = "GET", .target = "/"}).body, "GET / ") << host << " " << name;
    }
  }
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(six.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  ASSERT_EQ(::listen(six.get(), 1), 0);
  HttpServer other(loop_, {}, echo);
  const auto half_taken = other.listen("127.0.0.1", ntohs(address.sin6_port));
  ASSERT_FALSE(half_taken.has_value());
  EXPECT_THAT(half_taken.error().message, HasSubstr(": the port is in use; "));
}

TEST_F(ListenTest, UnusableCertificateMakesListenFail) {
  HttpServer broken(loop_, ServerTls{.certificate_pem = "x", .key_pem = "y"}, echo);
  EXPECT_THAT(broken.listen("127.0.0.1", 0).error().message, StartsWith("TLS of the server: certificate: "));
  HttpServer mixed(loop_, ServerTls{.certificate_pem = certificate().certificate_pem, .key_pem = ca().key_pem}, echo);
  EXPECT_THAT(mixed.listen("127.0.0.1", 0).error().message,
              StartsWith("TLS of the server: private key of the certificate: "));
}

class UnixListenTest : public LoopbackTest {
 protected:
  UnixListenTest() {
    char pattern[] = "/tmp/muster-net-XXXXXX";
    folder_ = ::mkdtemp(pattern);
    path_ = folder_ + "/api.sock";
  }
  ~UnixListenTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

TEST_F(UnixListenTest, ServesItsOwnUserOverAPrivateSocket) {
  HttpServer server(loop_, {}, [](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    exchange->respond(Response{.body = request.peer.unix_socket_same_user && !request.peer.tls ? "same user" : "?"});
  });
  ASSERT_TRUE(server.listen_unix(path_).has_value());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  HttpClient client(loop_, Endpoint{.unix_path = path_, .tls = false});
  EXPECT_EQ(fetch(client, {.method = "GET", .target = "/"}).body, "same user");
  EXPECT_EQ(fetch(client, {.method = "GET", .target = "/"}).body, "same user");
  EXPECT_EQ(server.connections(), 1U);
}

/// Connects from a new user namespace; only system calls, because the child is a copy of a process with threads.
pid_t connect_from_another_namespace(const std::string& path, std::string_view request, int answer) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::unshare(CLONE_NEWUSER) != 0) ::_exit(2);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) ::_exit(3);
  if (::write(fd, request.data(), request.size()) < 0) ::_exit(3);
  char buffer[4096];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0) {
    if (::write(answer, buffer, static_cast<std::size_t>(n)) < 0) ::_exit(3);
  }
  ::_exit(0);
}

TEST_F(UnixListenTest, APeerFromAnotherUserNamespaceIsNotItsUser) {
  HttpServer server(loop_, {}, [](const Request& request, const std::shared_ptr<Exchange>& exchange) {
    const Peer& peer = request.peer;
    exchange->respond(Response{
        .body = peer.unix_socket_other_namespace && !peer.unix_socket_same_user ? "a foreigner" : "the same user"});
  });
  ASSERT_TRUE(server.listen_unix(path_).has_value());
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child =
      connect_from_another_namespace(path_, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", ends[1]);
  ::close(ends[1]);
  std::string answer;
  const Loop::Id watch = loop_.on_readable(ends[0], [&] {
    char buffer[4096];
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    answer.append(n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : "(end)");
  });
  wait([&] { return answer.ends_with("(end)"); }, "the answer");
  loop_.cancel(watch);
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this host does not let the user make user namespaces";
  EXPECT_THAT(answer, EndsWith("a foreigner(end)"));
}

TEST_F(UnixListenTest, ReplacesAStaleSocketButNothingElse) {
  {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(fd);  // as after kill -9: the socket file stays
  }
  auto server = std::make_unique<HttpServer>(loop_, ServerTls{}, echo);
  ASSERT_TRUE(server->listen_unix(path_).has_value());
  HttpServer second(loop_, {}, echo);
  EXPECT_EQ(second.listen_unix(path_).error().message,
            "listen on \"" + path_ + "\": another server is listening there");
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::ofstream(path_) << "precious";
  EXPECT_EQ(second.listen_unix(path_).error().message,
            "listen on \"" + path_ + "\": the file exists and is not a socket; remove it");
  EXPECT_TRUE(std::filesystem::exists(path_));
  const std::string too_long = folder_ + "/" + std::string(120, 'x');
  EXPECT_THAT(second.listen_unix(too_long).error().message, HasSubstr("must have 1 to 107 bytes, got "));
}

}  // namespace
}  // namespace muster::net
