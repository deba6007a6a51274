#include "net/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <deque>
#include <unordered_map>

#include "base/log.h"
#include "net/loop_context.h"

namespace muster::net {

namespace asio = boost::asio;

namespace {

// However busy the loop is, one idle task runs this often: 50 per second, a Kubernetes controller's write rate.
constexpr Duration kLongestIdleWait = std::chrono::milliseconds(20);

/// Asio may report a descriptor that has nothing to read: when a descriptor is closed while its event is queued, the
/// descriptor that takes its place in Asio's tables receives the event.
bool is_readable(int fd) {
  pollfd asked{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&asked, 1, 0) != 0;
}

}  // namespace

struct EventLoop::Context {
  struct Timer;
  struct StopSignals;

  // Declared before `io`: destroying io destroys queued tasks, whose captures may still call cancel().
  std::unordered_map<Id, std::shared_ptr<Timer>> timers;
  std::unordered_map<Id, std::shared_ptr<Watch>> watches;
  std::deque<Task> idle;
  std::function<bool()> busy;
  MonoTime idle_since;  // when the queue became non-empty, or an idle task last ran
  Id last_id = 0;
  bool closing = false;
  boost::asio::io_context io{1};  // 1: only one thread runs it, although others may post
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::unique_ptr<StopSignals> stop_signals;

  ~Context();
};

struct EventLoop::Context::Timer {
  Timer(asio::io_context& io, Task t) : timer(io), task(std::move(t)) {}
  asio::steady_timer timer;
  Task task;
};

/// Watches a duplicate of the descriptor: if the caller closed its own before cancelling, the number could already
/// belong to another connection.
struct EventLoop::Watch : std::enable_shared_from_this<Watch> {
  Watch(asio::io_context& io, UniqueFunction<void()> t) : descriptor(io), task(std::move(t)) {}

  void arm() {
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](boost::system::error_code ec) {
                            if (self->cancelled) return;
                            if (ec) {
                              LOG_ERROR("descriptor cannot be watched", {"error", ec.message()});
                              return;
                            }
                            if (!is_readable(self->descriptor.native_handle())) return self->arm();
                            self->running = true;
                            self->task();
                            self->running = false;
                            if (self->cancelled) {
                              self->task = nullptr;
                            } else {
                              self->arm();
                            }
                          });
  }

  void cancel() {
    cancelled = true;
    boost::system::error_code ignored;
    descriptor.close(ignored);
    if (!running) task = nullptr;  // release the captures now, not when Asio reports the cancellation
  }

  asio::posix::stream_descriptor descriptor;
  UniqueFunction<void()> task;
  bool running = false;
  bool cancelled = false;
};

struct EventLoop::Context::StopSignals {
  explicit StopSignals(asio::io_context& io) : set(io, SIGINT, SIGTERM) {}

  void wait() {
    set.async_wait([this](boost::system::error_code ec, int signal) {
      if (ec) return;
      task(signal);
      wait();
    });
  }

  asio::signal_set set;
  UniqueFunction<void(int)> task;
};

EventLoop::Context::~Context() = default;

boost::asio::io_context& io_of(EventLoop& loop) {
  return loop.context().io;
}

EventLoop::EventLoop() : context_(std::make_unique<Context>()) {}

EventLoop::~EventLoop() {
  context_->closing = true;
  const auto timers = std::move(context_->timers);
  context_->timers.clear();
  const auto watches = std::move(context_->watches);
  context_->watches.clear();
  for (const auto& [id, watch] : watches) watch->cancel();
}

Time EventLoop::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

MonoTime EventLoop::mono() const {
  return std::chrono::steady_clock::now();
}

void EventLoop::post(Task task) {
  if (context_->closing) return;
  asio::post(context_->io, [t = std::move(task)]() mutable { t(); });
}

Loop::Id EventLoop::after(Duration delay, Task task) {
  const Id id = ++context_->last_id;
  if (context_->closing) return id;
  auto entry = std::make_shared<Context::Timer>(context_->io, std::move(task));
  entry->timer.expires_after(delay);
  entry->timer.async_wait([this, id](boost::system::error_code ec) {
    if (ec) return;
    // The timer may have been cancelled after it expired but before this ran; its entry is then gone.
    const auto found = context_->timers.find(id);
    if (found == context_->timers.end()) return;
    const auto fired = std::move(found->second);
    context_->timers.erase(found);
    fired->task();
  });
  context_->timers.emplace(id, std::move(entry));
  return id;
}

Loop::Id EventLoop::on_readable(int fd, UniqueFunction<void()> task) {
  const Id id = ++context_->last_id;
  if (context_->closing) return id;
  auto watch = std::make_shared<Watch>(context_->io, std::move(task));
  context_->watches.emplace(id, watch);
  start_watch(fd, watch);
  return id;
}

void EventLoop::start_watch(int fd, const std::shared_ptr<Watch>& watch) {
  if (watch->cancelled) return;
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 && errno == EMFILE) {
    // A full descriptor table delays the watch, but nothing that becomes readable meanwhile is lost.
    LOG_WARN("too many open files, watching a descriptor later");
    after(std::chrono::milliseconds(100), [this, fd, watch] { start_watch(fd, watch); });
    return;
  }
  CHECK(copy >= 0);  // otherwise the caller passed an invalid descriptor
  boost::system::error_code ec;
  watch->descriptor.assign(copy, ec);
  if (ec) {
    ::close(copy);
    LOG_ERROR("descriptor cannot be watched", {"error", ec.message()});
    return;
  }
  watch->arm();
}

void EventLoop::cancel(Id id) {
  if (const auto timer = context_->timers.find(id); timer != context_->timers.end()) {
    const auto gone = std::move(timer->second);  // destroying its captures may call cancel()
    context_->timers.erase(timer);
    return;
  }
  if (const auto watch = context_->watches.find(id); watch != context_->watches.end()) {
    const auto gone = std::move(watch->second);
    context_->watches.erase(watch);
    gone->cancel();
  }
}

void EventLoop::on_stop_signal(UniqueFunction<void(int)> task) {
  const bool first = context_->stop_signals == nullptr;
  if (first) context_->stop_signals = std::make_unique<Context::StopSignals>(context_->io);
  context_->stop_signals->task = std::move(task);
  if (first) context_->stop_signals->wait();
}

void EventLoop::post_when_idle(Task task) {
  if (context_->closing) return;
  if (context_->idle.empty()) context_->idle_since = mono();
  context_->idle.push_back(std::move(task));
}

void EventLoop::set_busy(std::function<bool()> busy) {
  context_->busy = std::move(busy);
}

/// Runs a ready task, else an idle one, else waits for the next ready task. Returns false when the loop was stopped.
bool EventLoop::step() {
  if (context_->idle.empty()) return context_->io.run_one() != 0;
  const Duration patience = kLongestIdleWait - (mono() - context_->idle_since);
  if (patience > Duration(0)) {
    if (context_->io.poll_one() != 0) return true;
    if (context_->busy && context_->busy()) {
      context_->io.run_one_for(patience);
      return !context_->io.stopped();
    }
  }
  if (context_->io.stopped()) return false;
  Task task = std::move(context_->idle.front());
  context_->idle.pop_front();
  context_->idle_since = mono();
  task();
  return true;
}

void EventLoop::run() {
  context_->io.restart();
  while (step()) {
  }
}

void EventLoop::run_until(const std::function<bool()>& done) {
  context_->io.restart();
  while (!done() && step()) {
  }
}

void EventLoop::stop() {
  context_->io.stop();
}

}  // namespace muster::net
