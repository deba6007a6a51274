#include "testing/process_node.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/fd.h"

namespace muster::testing {
namespace {

constexpr int kNoSuchProgram = 127;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
  }
  Fd read_end;
  Fd write_end;
};

[[noreturn]] void run_command(const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_DFL);
  ::setpgid(0, 0);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(kNoSuchProgram);
}

class Process final : public node::ExecSession, public std::enable_shared_from_this<Process> {
 public:
  Process(Loop& loop, node::ExecSink sink) : loop_(loop), sink_(std::move(sink)) {}
  ~Process() override { stop(); }

  void start(const node::ExecRequest& request) {
    if (request.tty) {
      int terminal = -1;
      pid_ = ::forkpty(&terminal, nullptr, nullptr, nullptr);
      if (pid_ == 0) run_command(request.command);
      terminal_ = Fd(terminal);
      input_ = Fd(::fcntl(terminal, F_DUPFD_CLOEXEC, 0));
      watch(terminal_, false);
    } else {
      Pipe in;
      Pipe out;
      Pipe err;
      pid_ = ::fork();
      if (pid_ == 0) {
        ::dup2(in.read_end.get(), STDIN_FILENO);
        ::dup2(out.write_end.get(), STDOUT_FILENO);
        ::dup2(err.write_end.get(), STDERR_FILENO);
        run_command(request.command);
      }
      output_ = std::move(out.read_end);
      errors_ = std::move(err.read_end);
      if (request.with_stdin) input_ = std::move(in.write_end);
      watch(output_, false);
      watch(errors_, true);
    }
    if (input_) ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  }

  void write_stdin(std::string_view bytes) override {
    unwritten_ += bytes;
    write_more();
  }
  void close_stdin() override {
    closing_ = true;
    write_more();
  }
  void resize(node::TerminalSize size) override {
    const winsize to{.ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
    if (terminal_) ::ioctl(terminal_.get(), TIOCSWINSZ, &to);
  }
  std::size_t unsent_stdin() const override { return unwritten_.size(); }
  void when_stdin_room(std::size_t bytes, Task task) override {
    room_ = bytes;
    on_room_ = std::move(task);
  }
  void pause_output() override { paused_ = true; }
  void resume_output() override { paused_ = false; }

  void stop() {
    for (Loop::Id& watch : watches_) loop_.cancel(std::exchange(watch, 0));
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  void watch(const Fd& fd, bool is_errors) {
    ++open_;
    watches_[is_errors ? 1 : 0] = loop_.on_readable(fd.get(), [this, is_errors, raw = fd.get()] {
      if (paused_) return;
      const auto self = shared_from_this();
      std::array<char, 32768> buffer;
      const ssize_t count = ::read(raw, buffer.data(), buffer.size());
      if (count > 0) {
        auto& sink = is_errors ? sink_.on_stderr : sink_.on_stdout;
        return sink({buffer.data(), static_cast<std::size_t>(count)});
      }
      loop_.cancel(std::exchange(watches_[is_errors ? 1 : 0], 0));
      if (--open_ == 0) reap();
    });
  }

  void reap() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    sink_.on_exit(code);
  }

  void write_more() {
    while (input_ && !unwritten_.empty()) {
      const ssize_t count = ::write(input_.get(), unwritten_.data(), unwritten_.size());
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) unwritten_.clear();
      if (count > 0) unwritten_.erase(0, static_cast<std::size_t>(count));
    }
    if (on_room_ && unwritten_.size() <= room_) loop_.post(std::exchange(on_room_, nullptr));
    if (unwritten_.empty()) {
      if (closing_ && !terminal_) input_.reset();
    } else if (!std::exchange(retrying_, true)) {
      loop_.after(std::chrono::milliseconds(1), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->retrying_ = false;
        self->write_more();
      });
    }
  }

  Loop& loop_;
  node::ExecSink sink_;
  pid_t pid_ = 0;
  Fd terminal_;
  Fd input_;
  Fd output_;
  Fd errors_;
  std::array<Loop::Id, 2> watches_{};
  int open_ = 0;
  std::string unwritten_;
  bool closing_ = false;
  bool retrying_ = false;
  bool paused_ = false;
  std::size_t room_ = 0;
  Task on_room_;
};

/// What the API server holds; the process itself may be in the middle of a callback when this is destroyed.
class ProcessSession final : public node::ExecSession {
 public:
  explicit ProcessSession(std::shared_ptr<Process> process) : process_(std::move(process)) {}
  ~ProcessSession() override { process_->stop(); }
  void write_stdin(std::string_view bytes) override { process_->write_stdin(bytes); }
  void close_stdin() override { process_->close_stdin(); }
  void resize(node::TerminalSize size) override { process_->resize(size); }
  std::size_t unsent_stdin() const override { return process_->unsent_stdin(); }
  void when_stdin_room(std::size_t bytes, Task task) override { process_->when_stdin_room(bytes, std::move(task)); }
  void pause_output() override { process_->pause_output(); }
  void resume_output() override { process_->resume_output(); }

 private:
  std::shared_ptr<Process> process_;
};

}  // namespace

Result<std::unique_ptr<node::LogStream>> ProcessNode::read_log(const node::LogRequest&,
                                                               UniqueFunction<void(std::string_view)>,
                                                               UniqueFunction<void(Status)>) {
  return Error{.reason = Reason::kNotFound, .message = "this node keeps no logs"};
}

Result<std::unique_ptr<node::ExecSession>> ProcessNode::exec(const node::ExecRequest& request, node::ExecSink sink) {
  auto process = std::make_shared<Process>(loop_, std::move(sink));
  process->start(request);
  return std::unique_ptr<node::ExecSession>(std::make_unique<ProcessSession>(std::move(process)));
}

Result<std::unique_ptr<node::ExecSession>> ProcessNode::attach(const node::ExecRequest& request, node::ExecSink sink) {
  node::ExecRequest cat = request;
  cat.command = {"cat"};
  return exec(cat, std::move(sink));
}

Result<std::unique_ptr<node::PortSession>> ProcessNode::connect(const node::PortRequest&, node::PortSink) {
  return Error{.reason = Reason::kServiceUnavailable, .message = "a process of this machine has no ports of its own"};
}

}  // namespace muster::testing
