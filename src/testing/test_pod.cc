#include "testing/test_pod.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/disk/paths.h"
#include "agent/logs/log_files.h"
#include "agent/shim/shim_program.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"
#include "linux/process.h"
#include "linux/remove_tree.h"
#include "shim/encode_fields.h"
#include "shim/format.h"
#include "testing/source_dir.h"

namespace muster::agent {
namespace {

constexpr int kPatience = 60'000;  // milliseconds; only a hang takes this long
constexpr uid_t kNobody = 65534;

void wait_readable(int fd) {
  pollfd polled{.fd = fd, .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&polled, 1, kPatience), 1) << "nothing happened";
}

}  // namespace

TestPod::TestPod(EngineUser user, const std::string& below) : user_(user) {
  char name[] = "/tmp/muster-pod-XXXXXX";
  root_ = ::mkdtemp(name);
  pod_ = root_ + below + "/pod";
  launch_ = pod_ + "/0";
  volume_ = root_ + "/volume";
  std::filesystem::create_directories(launch_);
  std::filesystem::create_directory(volume_);
  if (user_ == EngineUser::kOrdinary && ::geteuid() == 0) {
    for (const std::string& path : {root_, pod_, launch_, volume_}) {
      if (::chown(path.c_str(), kNobody, kNobody) != 0) ADD_FAILURE() << "chown " << path;
    }
  }
}

TestPod::~TestPod() {
  socket_.reset();
  if (shim_.pidfd) {
    // Killing the shim with SIGKILL kills the pod too, so no test leaves processes behind.
    if (!linux_os::has_ended(shim_.pidfd)) (void)linux_os::send_signal(shim_.pidfd, SIGKILL).has_value();
    wait_readable(shim_.pidfd.get());
    linux_os::has_ended(shim_.pidfd);
  }
  (void)linux_os::remove_tree(root_).has_value();
}

Launch TestPod::command(std::vector<std::string> args) {
  Launch launch;
  launch.hostname = "pod-0";
  launch.containers.push_back({.name = "main",
                               .is_init = false,
                               .cwd = "/",
                               .args = std::move(args),
                               .env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/root"}},
                               .mounts = {{.volume = "vol", .sub_path = "", .target = "/vol", .read_only = false}}});
  return launch;
}

Launch TestPod::shell(const std::string& script) {
  return command({"sh", "-c", script});
}

void TestPod::start(Launch launch) {
  launch.volumes.push_back({"vol", HostFolder{volume_}});
  start_with(encode_launch(launch));
  wait_until_ready();
}

void TestPod::wait_until_ready() {
  ASSERT_TRUE(socket_);
  wait_readable(socket_.get());
  char word[16] = {};
  ASSERT_EQ(::read(socket_.get(), word, sizeof word), 6);
  ASSERT_STREQ(word, "ready\n");
}

void TestPod::start_with(const std::string& description) {
  auto program = install_shim(root_);
  ASSERT_TRUE(program) << program.error().message;
  auto memory = linux_os::make_memory_file("muster-launch", description);
  ASSERT_TRUE(memory);
  spawn(*program, &*memory);
}

void TestPod::start_version_1(const std::string& script) {
  const std::string program = root_ + "/shim-v1";
  std::filesystem::copy_file(testing::source_dir() + "/src/agent/testdata/shim-v1", program);
  std::string description;
  shim::put_fields(description,
                   {"muster launch 1", "hostname", "pod-0", "bind", "vol", volume_, "container", "main", "main"});
  shim::put_fields(description, {"arg", "sh", "arg", "-c", "arg", script, "env", "PATH=/usr/bin:/bin"});
  shim::put_fields(description, {"mount", "vol", "", "/vol", "rw"});
  ASSERT_TRUE(write_file_atomically(launch_ + "/launch", description, 0644));
  if (::geteuid() == 0 && user_ == EngineUser::kOrdinary) {
    ASSERT_EQ(::chown((launch_ + "/launch").c_str(), kNobody, kNobody), 0);
  }
  spawn(program, nullptr);
  wait_until_ready();
}

void TestPod::spawn(const std::string& program, const Fd* description) {
  auto pair = linux_os::make_socket_pair();
  ASSERT_TRUE(pair);
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  linux_os::SpawnRequest request{.program = program,
                                 .args = {"muster-shim", launch_},
                                 .env = {},
                                 .fds = {{pair->theirs.get(), 0}, {null.get(), 1}, {null.get(), 2}}};
  if (description != nullptr) request.fds.emplace_back(description->get(), MUSTER_LAUNCH_FD);
  if (lock_) {
    request.fds.emplace_back(lock_.get(), MUSTER_LAUNCH_FD + 1);
    request.args.emplace_back("1");
  }
  if (user_ == EngineUser::kOrdinary && ::geteuid() == 0) {
    ASSERT_EQ(::chown(program.c_str(), kNobody, kNobody), 0);
    request.program = "/usr/bin/setpriv";
    request.args[0] = program;
    const std::vector<std::string> before = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    request.args.insert(request.args.begin(), before.begin(), before.end());
  }
  auto child = linux_os::spawn(request);
  lock_ = Fd();
  ASSERT_TRUE(child) << child.error().message;
  shim_ = std::move(*child);
  socket_ = std::move(pair->ours);
}

void TestPod::go() {
  ASSERT_EQ(::write(socket_.get(), "go\n", 3), 3);
}
void TestPod::hang_up() {
  socket_.reset();
}
void TestPod::signal(int number) {
  ASSERT_TRUE(linux_os::send_signal(shim_.pidfd, number));
}
void TestPod::write_grace(const std::string& seconds) {
  ASSERT_TRUE(write_file_atomically(launch_ + kGraceFile, seconds, 0644));
}

void TestPod::wait() {
  wait_readable(shim_.pidfd.get());
  ASSERT_TRUE(linux_os::has_ended(shim_.pidfd));
}

AttemptRecord TestPod::run(Launch launch) {
  start(std::move(launch));
  go();
  wait();
  return exit_record();
}

AttemptRecord TestPod::exit_record() const {
  const auto text = read_file(launch_ + kExitFile);
  if (!text) {
    ADD_FAILURE() << "no exit.json";
    return {};
  }
  auto record = parse_record(*text);
  EXPECT_TRUE(record) << *text;
  return record ? *std::move(record) : AttemptRecord{};
}

bool TestPod::has_exit_record() const {
  return std::filesystem::exists(launch_ + kExitFile);
}

std::string TestPod::log(const std::string& container, int run) const {
  std::string text;
  const LogFiles files(pod_, container, run);
  for (const int segment : files.segments()) text += read_file(files.path(segment)).value_or("");
  return text;
}

std::string TestPod::output(const std::string& stream, const std::string& container, int run) const {
  const std::string text = log(container, run);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_NE(end, std::string::npos) << "the log ends in the middle of a line";
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    // "2026-11-15T21:30:36.000123456Z stdout F text"
    EXPECT_TRUE(parse_rfc3339(line.substr(0, 30))) << line.substr(0, 60);
    if (!stream.empty() && line.substr(31, 6) != stream) continue;
    out.append(line.substr(40));
    if (line[38] == 'F') out.push_back('\n');
  }
  return out;
}

void TestPod::make_fifo(const std::string& name) const {
  const std::string path = volume_ + "/" + name;
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
}

std::string TestPod::read_fifo(const std::string& name) const {
  const Fd fd(::open((volume_ + "/" + name).c_str(), O_RDWR | O_CLOEXEC));
  wait_readable(fd.get());
  char buffer[256];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  return n > 0 ? std::string(trim(std::string_view(buffer, static_cast<std::size_t>(n)))) : "";
}

Fd TestPod::open_fifo(const std::string& name) const {
  return Fd(::open((volume_ + "/" + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

void TestPod::wait_for_end_of(const Fd& fifo) {
  char buffer[256];
  for (;;) {
    wait_readable(fifo.get());
    const ssize_t n = ::read(fifo.get(), buffer, sizeof buffer);
    if (n == 0 || ::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace muster::agent
