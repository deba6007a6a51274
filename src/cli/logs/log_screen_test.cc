#include "cli/logs/log_screen.h"

#include <gtest/gtest.h>

#include "cli/connect/session.h"
#include "testing/fake_server.h"
#include "testing/sim_loop.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

class OnScreen : public ::testing::Test {
 protected:
  void open(bool is_terminal) {
    Terminal terminal;
    terminal.out = [this](std::string_view text) { out_ += text; };
    terminal.err = [this](std::string_view text) { out_ += "err:" + std::string(text); };
    terminal.out_is_terminal = is_terminal;
    terminal.width = 80;
    session_.emplace(
        loop_, api_, [](const std::function<bool()>&) {}, terminal, "default");
    screen_.emplace(*session_);
  }
  void show(const std::string& text) { screen_->show({.run = "r", .prefix = "", .text = text}); }
  std::string seen() { return std::exchange(out_, ""); }

  testing::SimLoop loop_;
  FakeServer server_{loop_};
  client::ApiClient api_{server_, ""};
  std::optional<Session> session_;
  std::optional<LogScreen> screen_;
  std::string out_;
};

TEST_F(OnScreen, ABarChangesInPlaceTenTimesASecond) {
  open(true);
  screen_->print("begun\n");
  show("0%");
  EXPECT_EQ(seen(), "begun\n0%\n") << "at once";
  std::size_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) {
    show(std::to_string(i));
    loop_.advance(1ms);
    bytes += seen().size();
  }
  EXPECT_LT(bytes, 101 * 16U);
  show("100%");
  loop_.advance(100ms);
  EXPECT_EQ(seen(), "\x1b[1A\x1b[J100%\n") << "the last one is not lost";
}

TEST_F(OnScreen, LinesScrollAboveABar) {
  open(true);
  show("50%");
  screen_->print("a\n");
  screen_->print("b\n");
  EXPECT_EQ(seen(), "50%\n");
  loop_.advance(100ms);
  EXPECT_EQ(seen(), "\x1b[1A\x1b[Ja\nb\n50%\n");
  screen_->print("100%\n");
  show("");
  loop_.advance(100ms);
  EXPECT_EQ(seen(), "\x1b[1A\x1b[J100%\n");
  screen_->print("c\n");
  EXPECT_EQ(seen(), "c\n") << "there is no bar to wait for";
}

TEST_F(OnScreen, OtherTextFindsAScreenWithoutABar) {
  open(true);
  show("50%");
  loop_.advance(1s);
  seen();
  screen_->note("waiting\n");
  EXPECT_EQ(seen(), "\x1b[1A\x1b[Jerr:waiting\n");
  loop_.advance(100ms);
  EXPECT_EQ(seen(), "50%\n");
}

TEST_F(OnScreen, NothingIsLostWhenItEnds) {
  open(true);
  show("50%");
  screen_->print("late\n");
  screen_.reset();
  EXPECT_EQ(seen(), "50%\n\x1b[1A\x1b[Jlate\n50%\n");
}

TEST_F(OnScreen, AFileGetsLinesOnly) {
  open(false);
  show("50%");
  screen_->print("a\n");
  loop_.advance(1s);
  screen_.reset();
  EXPECT_EQ(seen(), "a\n");
}

}  // namespace
}  // namespace muster::cli
