#include "cli/terminal/console.h"

#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/fd.h"

namespace muster::cli {
namespace {

// What the terminal was before raw mode. A signal handler needs it, so it cannot be a member.
termios g_before;
volatile std::sig_atomic_t g_is_raw = 0;

// Signals that end the process without unwinding it. SIGINT and SIGTERM end the loop instead.
constexpr std::array kFatalSignals{SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

void restore_and_die(int signal) {
  restore_terminal();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

Result<std::unique_ptr<Undo>> make_terminal_raw() {
  if (::tcgetattr(STDIN_FILENO, &g_before) != 0) return errno_error("terminal: read its mode", errno);
  for (const int signal : kFatalSignals) std::signal(signal, restore_and_die);
  termios raw = g_before;
  ::cfmakeraw(&raw);
  g_is_raw = 1;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) {
    g_is_raw = 0;
    return errno_error("terminal: make it raw", errno);
  }
  return std::make_unique<Undo>([] { restore_terminal(); });
}

std::optional<node::TerminalSize> terminal_size() {
  winsize size{};
  if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return std::nullopt;
  return node::TerminalSize{.rows = size.ws_row, .columns = size.ws_col};
}

std::unique_ptr<Undo> watch_size(Loop& loop, std::function<void()> task) {
  sigset_t changed;
  ::sigemptyset(&changed);
  ::sigaddset(&changed, SIGWINCH);
  ::pthread_sigmask(SIG_BLOCK, &changed, nullptr);
  auto fd = std::make_shared<Fd>(::signalfd(-1, &changed, SFD_CLOEXEC | SFD_NONBLOCK));
  if (fd->get() < 0) return std::make_unique<Undo>();
  const Loop::Id watch = loop.on_readable(fd->get(), [fd, task = std::move(task)] {
    signalfd_siginfo info{};
    while (::read(fd->get(), &info, sizeof info) > 0) {
    }
    task();
  });
  return std::make_unique<Undo>([&loop, watch, fd] { loop.cancel(watch); });
}

}  // namespace

void restore_terminal() {
  if (g_is_raw == 0) return;
  g_is_raw = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &g_before);
}

Console real_console() {
  return {.input = STDIN_FILENO, .make_raw = make_terminal_raw, .size = terminal_size, .on_resize = watch_size};
}

}  // namespace muster::cli
