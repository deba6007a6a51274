#include "testing/command_run.h"

#include "cli/connect/session.h"
#include "testing/sim_loop.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

}  // namespace

struct CommandRun::World {
  muster::testing::SimLoop loop;
  FakeServer server{loop};
  client::ApiClient api{server, ""};
};

CommandRun::CommandRun() : CommandRun(std::make_unique<World>()) {}
CommandRun::CommandRun(std::unique_ptr<World> world) : server(world->server), world_(std::move(world)) {}
CommandRun::~CommandRun() = default;

int CommandRun::run(std::unique_ptr<Command> command, const std::vector<std::string>& args,
                    std::vector<std::function<void()>> steps) {
  Flags flags;
  command->add_flags(flags);
  auto words = flags.parse(args);
  if (!words) {
    err += words.error().message;
    return kExitUsage;
  }
  if (const auto failure = command->check(*words)) {
    err += error_text(*failure);
    return failure->code;
  }
  Terminal to;
  to.out = [this](std::string_view text) { out += text; };
  to.err = [this](std::string_view text) { err += text; };
  to.read_stdin = [this]() -> Result<std::string> { return input; };
  to.out_is_terminal = to.color = terminal;
  to.width = width;
  muster::testing::SimLoop& loop = world_->loop;
  Session* running = nullptr;
  std::size_t next = 0;
  int quiet_timers = 0;
  const auto run_until = [&](const std::function<bool()>& done) {
    while (!done()) {
      loop.settle();
      if (done()) return;
      // Short timers are delays that elapse; a long one is a deadline that expires only when nothing else can run.
      const bool short_timer = loop.timers() > 0 && loop.until_next_timer() <= 5s && quiet_timers < 100;
      if (short_timer) {
        ++quiet_timers;
        loop.advance(loop.until_next_timer());
      } else if (next < steps.size()) {
        quiet_timers = 0;
        steps[next++]();
      } else if (loop.timers() > 0) {
        loop.advance(loop.until_next_timer());
      } else {
        running->interrupt();
      }
    }
  };
  Session session(loop, world_->api, run_until, to, "default");
  running = &session;
  session.set_show_page([this](Session&, const PageToShow& page) {
    shown_pages.push_back(page.path);
    return kExitOk;
  });
  return command->run(session, *words);
}

}  // namespace muster::cli
