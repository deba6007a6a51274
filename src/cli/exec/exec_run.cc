#include "cli/exec/exec_run.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/random.h"
#include "cli/jobs/job_pods.h"
#include "client/remote_exec.h"

namespace muster::cli {
namespace {

constexpr std::size_t kMostUnsent = std::size_t{256} << 10;
constexpr std::size_t kReadBytes = std::size_t{32} << 10;

/// A file is always readable, and epoll refuses to watch one. Devices such as /dev/null are alike.
bool can_be_watched(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(fd) == 1;
}

/// Copies a descriptor to the program's stdin, no faster than the program reads.
class InputPump : public std::enable_shared_from_this<InputPump> {
 public:
  InputPump(Loop& loop, int fd, node::ExecSession& program)
      : loop_(loop), fd_(fd), program_(program), watched_(can_be_watched(fd)) {}
  ~InputPump() { stop(); }
  InputPump(const InputPump&) = delete;
  InputPump& operator=(const InputPump&) = delete;

  void start() {
    if (watched_) {
      watch_ = loop_.on_readable(fd_, [this] { read(); });
    } else {
      loop_.post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->read();
      });
    }
  }

 private:
  void stop() { loop_.cancel(std::exchange(watch_, 0)); }

  void read() {
    std::array<char, kReadBytes> buffer;
    const ssize_t count = ::read(fd_, buffer.data(), buffer.size());
    const bool again = count < 0 && (errno == EINTR || errno == EAGAIN);
    if (count <= 0 && !again) {
      stop();
      return program_.close_stdin();
    }
    if (count > 0) program_.write_stdin({buffer.data(), static_cast<std::size_t>(count)});
    if (program_.unsent_stdin() > kMostUnsent) {
      stop();
      program_.when_stdin_room(kMostUnsent / 2, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->start();
      });
    } else if (!watched_) {
      start();
    }
  }

  Loop& loop_;
  int fd_;
  node::ExecSession& program_;
  bool watched_;
  Loop::Id watch_ = 0;
};

}  // namespace

std::optional<Result<int>> run_exec(Session& session, const ExecRun& run) {
  std::optional<Result<int>> exit;
  node::ExecSink sink;
  sink.on_stdout = [&](std::string_view bytes) { run.on_stdout(bytes); };
  sink.on_stderr = [&](std::string_view bytes) { run.on_stderr(bytes); };
  sink.on_exit = [&](Result<int> code) { exit = std::move(code); };
  SystemRng rng;
  const auto program = client::open_exec(session.api(), rng, run.request, std::move(sink));

  std::unique_ptr<Undo> resizing;
  if (run.request.tty && run.console != nullptr) {
    const auto resize = [&] {
      if (const auto size = run.console->size()) program->resize(*size);
    };
    resize();
    resizing = run.console->on_resize(session.loop(), resize);
  }
  std::shared_ptr<InputPump> pump;
  if (run.input >= 0) {
    pump = std::make_shared<InputPump>(session.loop(), run.input, *program);
    pump->start();
  }
  const auto waited = session.wait_until([&] {
    if (Status fine = run.check(); !fine) exit = std::move(fine).error();
    return exit.has_value();
  });
  if (waited == Session::Waited::kInterrupted) return std::nullopt;
  return exit;
}

std::optional<Result<int>> run_exec_on_terminal(Session& session, const ExecRun& run) {
  if (!run.request.tty || run.input < 0 || !session.terminal().in_is_terminal) return run_exec(session, run);
  const auto raw = run.console->make_raw();
  if (!raw) return Result<int>(raw.error());
  return run_exec(session, run);
}

std::variant<json::Document, Failure> find_running_pod(Session& session, const std::string& ns,
                                                       const std::string& word) {
  auto found = find_pod_or_decider(session, ns, word);
  const auto* pod = std::get_if<json::Document>(&found);
  if (pod == nullptr) return found;
  const std::string& phase = pod->string_at("status", "phase");
  if (phase != "Succeeded" && phase != "Failed") return found;
  const std::string& name = pod->string_at("metadata", "name");
  return Failure{
      .code = kExitConflict,
      .what = fmt::format("pod {0} has ended (phase {1}): nothing runs in it; its output is in muster logs {0}", name,
                          phase)};
}

std::string note_of_pod(const json::Document& pod, const std::string& word) {
  const std::string& name = pod.string_at("metadata", "name");
  return name == word.substr(word.rfind('/') + 1) ? "" : fmt::format("using pod {}\n", name);
}

}  // namespace muster::cli
