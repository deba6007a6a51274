#include "cli/logs/log_screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "cli/terminal/live_block.h"
#include "cli/terminal/log_filter.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBetweenDraws = 100ms;
constexpr std::size_t kMostWaiting = std::size_t{64} << 10;  // bytes of lines that wait to be drawn with the block

/// As it is now: it can be resized.
LiveBlock::Size screen_size(const Terminal& terminal) {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  if (is_known) return {.rows = size.ws_row, .columns = size.ws_col};
  return {.rows = 24, .columns = terminal.width == 0 ? 80 : terminal.width};
}

}  // namespace

struct LogScreen::State : std::enable_shared_from_this<LogScreen::State> {
  State(Session& s, bool writes_over) : session(s), may_write_over(writes_over) {}

  Session& session;
  bool may_write_over;  // stdout is a terminal, and its logs are filtered
  LogFilter filter;
  LiveBlock block;
  std::string waiting;  // lines to print above the block
  std::optional<MonoTime> drawn_at;
  bool is_scheduled = false;

  /// Many small changes become one: a screen that is drawn for each of them flickers, and a slow terminal never catches
  /// up.
  void changed() {
    if (is_scheduled) return;
    const MonoTime now = session.loop().mono();
    const Duration left = drawn_at ? *drawn_at + kBetweenDraws - now : Duration(0);
    if (left <= Duration(0)) return draw();
    is_scheduled = true;
    session.loop().after(left, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->is_scheduled = false;
      self->draw();
    });
  }

  void draw() {
    drawn_at = session.loop().mono();
    const std::string text = block.draw(std::exchange(waiting, {}), screen_size(session.terminal()));
    if (!text.empty()) session.terminal().out(text);
  }

  void print(std::string_view lines) {
    if (!may_write_over) return session.out_log(lines);
    const std::string shown = filter.feed(lines);
    if (block.empty() && !block.is_drawn() && waiting.empty()) return session.terminal().out(shown);
    waiting += shown;
    waiting.size() > kMostWaiting ? hide() : changed();
  }

  void show(const client::LineOfRun& line) {
    if (!may_write_over) return;
    if (line.text.empty() && block.empty()) return;
    block.set(line.run, line.prefix, line.text);
    changed();
  }

  /// Leaves the screen to somebody else's text.
  void hide() {
    const std::string text = block.erase() + std::exchange(waiting, {});
    if (!text.empty()) session.terminal().out(text);
    if (block.empty()) return;
    drawn_at = session.loop().mono();  // not before that text
    changed();
  }

  void end() {
    if (!waiting.empty() || (block.empty() && block.is_drawn())) draw();
  }
};

LogScreen::LogScreen(Session& session, Raw raw)
    : state_(std::make_shared<State>(session, session.terminal().out_is_terminal && raw == Raw::kNo)) {}

LogScreen::~LogScreen() {
  state_->end();
}

void LogScreen::note(std::string_view lines) {
  state_->hide();
  const bool dimmed = state_->session.terminal().color && ::isatty(STDERR_FILENO) == 1;
  if (dimmed) state_->session.terminal().err("\x1b[2m");
  state_->session.err(lines);
  if (dimmed) state_->session.terminal().err("\x1b[0m");
}

void LogScreen::print(std::string_view lines) {
  state_->print(lines);
}

void LogScreen::show(const client::LineOfRun& line) {
  state_->show(line);
}

}  // namespace muster::cli
