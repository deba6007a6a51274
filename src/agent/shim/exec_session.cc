#include "agent/shim/exec_session.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "agent/shim/fd_streams.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

constexpr int kPipeSize = 1 << 20;  // an attachment has no other buffer
constexpr char kEndOfInput = 4;     // what a terminal understands as the end of the input

struct Pipe {
  Fd read;
  Fd write;
};
Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("pipe", errno);
  ::fcntl(ends[0], F_SETPIPE_SZ, kPipeSize);  // beyond the user's limit the default size stays
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Error not_connected() {
  return Error{.reason = Reason::kServiceUnavailable, .message = "the pod's shim cannot be reached; try again"};
}

/// What exec and attach have in common. It is shared with the callbacks that are given to the channel.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Loop& loop, FindChannel channel, const node::ExecRequest& request, node::ExecSink sink)
      : loop_(loop), channel_(std::move(channel)), request_(request), sink_(std::move(sink)) {}

  Status exec(ShimChannel& channel);
  Status attach(ShimChannel& channel);
  void abandon();

  void write_stdin(std::string_view bytes) {
    if (input_) {
      input_->write(bytes);
    } else if (!is_started_) {
      early_input_.append(bytes);
    }
  }
  void close_stdin() {
    is_input_closed_ = true;
    if (!input_) return;
    // Whether the input is a terminal is the container's choice when it is attached to.
    if (input_->is_terminal()) {
      input_->write(std::string_view(&kEndOfInput, 1));
    } else {
      input_->close();
    }
  }
  void resize(node::TerminalSize size);
  std::size_t unsent_stdin() const { return input_ ? input_->unsent() : early_input_.size(); }
  void when_stdin_room(std::size_t bytes, Task task) {
    if (input_) {
      input_->when_room(bytes, std::move(task));
    } else {
      early_room_ = {bytes, std::move(task)};
    }
  }
  void pause_output();
  void resume_output();

 private:
  void read(std::optional<FdReader>& reader, Fd from, UniqueFunction<void(std::string_view)>& to);
  void use_input(Fd to);
  void finish(Result<int> how);

  Loop& loop_;
  FindChannel channel_;
  node::ExecRequest request_;
  node::ExecSink sink_;
  std::optional<std::uint64_t> exec_id_;  // while its command may run
  std::optional<FdReader> output_;
  std::optional<FdReader> errors_;
  std::optional<FdWriter> input_;
  std::string early_input_;  // written before the program was started
  std::pair<std::size_t, Task> early_room_;
  std::optional<node::TerminalSize> size_;
  bool is_started_ = false;
  bool is_input_closed_ = false;
  bool is_finished_ = false;
};

void Session::read(std::optional<FdReader>& reader, Fd from, UniqueFunction<void(std::string_view)>& to) {
  reader.emplace(
      loop_, std::move(from),
      [weak = weak_from_this(), &to](std::string_view bytes) {
        const auto self = weak.lock();
        if (self && !self->is_finished_ && to) to(bytes);
      },
      [] {});
}

void Session::use_input(Fd to) {
  is_started_ = true;
  if (to && (request_.with_stdin || request_.tty)) {
    input_.emplace(loop_, std::move(to));
    input_->write(std::exchange(early_input_, {}));
    if (early_room_.second) input_->when_room(early_room_.first, std::move(early_room_.second));
    if (is_input_closed_) close_stdin();
  }
  if (size_) resize(*size_);
}

void Session::finish(Result<int> how) {
  if (std::exchange(is_finished_, true)) return;
  exec_id_.reset();
  output_.reset();
  errors_.reset();
  input_.reset();
  sink_.on_exit(std::move(how));
}

Status Session::exec(ShimChannel& channel) {
  ExecRequest request{.container = request_.container, .args = request_.command, .tty = request_.tty};
  ExecStreams streams;
  Fd input;
  if (!request_.tty) {
    TRY_ASSIGN(Pipe in, make_pipe());
    TRY_ASSIGN(Pipe out, make_pipe());
    TRY_ASSIGN(Pipe err, make_pipe());
    streams = {std::move(in.read), std::move(out.write), std::move(err.write)};
    read(output_, std::move(out.read), sink_.on_stdout);
    read(errors_, std::move(err.read), sink_.on_stderr);
    if (request_.with_stdin) input = std::move(in.write);
  }
  auto shared_input = std::make_shared<Fd>(std::move(input));
  exec_id_ = channel.exec(request, std::move(streams),
                          {.on_started =
                               [weak = weak_from_this(), shared_input](Result<Fd> started) {
                                 const auto self = weak.lock();
                                 if (!self) return;
                                 if (!started) return self->finish(std::move(started).error());
                                 if (!self->request_.tty) return self->use_input(std::move(*shared_input));
                                 Fd master = *std::move(started);
                                 self->read(self->output_, Fd(::fcntl(master.get(), F_DUPFD_CLOEXEC, 0)),
                                            self->sink_.on_stdout);
                                 self->use_input(std::move(master));
                               },
                           .on_ended =
                               [weak = weak_from_this()](Result<ExecEnd> ended) {
                                 const auto self = weak.lock();
                                 if (!self || self->is_finished_) return;
                                 // What the command wrote last may still be in the pipes. A child of it may hold them
                                 // open forever, so their end is not waited for.
                                 if (self->output_) self->output_->drain();
                                 if (self->errors_) self->errors_->drain();
                                 self->finish(ended ? Result<int>(ended->code) : Result<int>(ended.error()));
                               }});
  return ok();
}

Status Session::attach(ShimChannel& channel) {
  TRY_ASSIGN(Pipe out, make_pipe());
  TRY_ASSIGN(Pipe err, make_pipe());
  read(output_, std::move(out.read), sink_.on_stdout);
  read(errors_, std::move(err.read), request_.tty ? sink_.on_stdout : sink_.on_stderr);
  channel.attach(request_.container, std::move(out.write), std::move(err.write),
                 {.on_started =
                      [weak = weak_from_this()](Result<Fd> input) {
                        const auto self = weak.lock();
                        if (!self) return;
                        if (!input) return self->finish(std::move(input).error());
                        self->use_input(*std::move(input));
                      },
                  .on_ended =
                      [weak = weak_from_this()](Status how) {
                        const auto self = weak.lock();
                        if (!self || self->is_finished_) return;
                        if (self->output_) self->output_->drain();
                        if (self->errors_) self->errors_->drain();
                        self->finish(how ? Result<int>(0) : Result<int>(how.error()));
                      }});
  return ok();
}

void Session::resize(node::TerminalSize size) {
  size_ = size;
  if (!request_.tty || !is_started_) return;
  if (request_.command.empty()) {
    if (ShimChannel* channel = channel_()) channel->resize(request_.container, size.rows, size.columns, [](Status) {});
    return;
  }
  winsize window{.ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (output_ && output_->fd() >= 0) ::ioctl(output_->fd(), TIOCSWINSZ, &window);
}

void Session::pause_output() {
  if (output_) output_->pause();
  if (errors_) errors_->pause();
}

void Session::resume_output() {
  if (output_) output_->resume();
  if (errors_) errors_->resume();
}

/// The client disconnected, so its command is killed. A container that was attached to keeps running.
void Session::abandon() {
  is_finished_ = true;
  if (exec_id_) {
    if (ShimChannel* channel = channel_()) channel->kill_exec(*exec_id_);
  }
  output_.reset();
  errors_.reset();
  input_.reset();
}

class Handle final : public node::ExecSession {
 public:
  explicit Handle(std::shared_ptr<Session> session) : session_(std::move(session)) {}
  ~Handle() override { session_->abandon(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void write_stdin(std::string_view bytes) override { session_->write_stdin(bytes); }
  void close_stdin() override { session_->close_stdin(); }
  void resize(node::TerminalSize size) override { session_->resize(size); }
  std::size_t unsent_stdin() const override { return session_->unsent_stdin(); }
  void when_stdin_room(std::size_t bytes, Task task) override { session_->when_stdin_room(bytes, std::move(task)); }
  void pause_output() override { session_->pause_output(); }
  void resume_output() override { session_->resume_output(); }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace

Result<std::unique_ptr<node::ExecSession>> begin_exec(Loop& loop, FindChannel channel, const node::ExecRequest& request,
                                                      node::ExecSink sink) {
  ShimChannel* connected = channel();
  if (connected == nullptr) return not_connected();
  auto session = std::make_shared<Session>(loop, std::move(channel), request, std::move(sink));
  TRY(session->exec(*connected));
  return std::unique_ptr<node::ExecSession>(std::make_unique<Handle>(std::move(session)));
}

Result<std::unique_ptr<node::ExecSession>> begin_attach(Loop& loop, FindChannel channel,
                                                        const node::ExecRequest& request, node::ExecSink sink) {
  ShimChannel* connected = channel();
  if (connected == nullptr) return not_connected();
  auto session = std::make_shared<Session>(loop, std::move(channel), request, std::move(sink));
  TRY(session->attach(*connected));
  return std::unique_ptr<node::ExecSession>(std::make_unique<Handle>(std::move(session)));
}

}  // namespace muster::agent
