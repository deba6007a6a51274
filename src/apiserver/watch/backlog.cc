#include "apiserver/watch/backlog.h"

#include <algorithm>

namespace muster::apiserver {
namespace {

constexpr std::size_t kShared = 32u << 20;       // what the shares of an account's watches add up to
constexpr std::size_t kLargestShare = 1u << 20;  // enough for a fast reader
constexpr std::size_t kSmallestShare = 32u << 10;
constexpr std::size_t kOverhead = 128;  // of a piece of memory and its place in a queue

}  // namespace

struct Backlogs::State : std::enable_shared_from_this<State> {
  explicit State(Loop& given) : loop(&given) {}

  void schedule() {
    if (loop == nullptr || is_scheduled || line.empty()) return;
    is_scheduled = true;
    loop->post([self = shared_from_this()] {
      self->is_scheduled = false;
      self->run_one();
      self->schedule();
    });
  }

  void run_one() {
    if (line.empty()) return;
    const auto account = std::move(line.front());
    line.pop_front();
    account->in_line_ = false;
    // What filled up since then makes room again some time, and the account is then lined up.
    if (account->turns_.empty() || account->held_ >= Backlog::kPause) return;
    Task task = std::move(account->turns_.front());
    account->turns_.pop_front();
    task();
    account->line_up();
  }

  Loop* loop;  // null once the server is gone
  std::deque<std::shared_ptr<Backlog>> line;
  bool is_scheduled = false;
};

Backlogs::Backlogs(Loop& loop) : state_(std::make_shared<State>(loop)) {}

Backlogs::~Backlogs() {
  state_->loop = nullptr;
  const auto dropped = std::exchange(state_->line, {});  // what they hold may hold them
  for (const auto& account : dropped) account->turns_.clear();
}

std::shared_ptr<Backlog> Backlogs::of(const Principal& who) {
  std::string account = account_name(who);
  auto& known = accounts_[account];
  auto backlog = known.lock();
  if (backlog == nullptr) {
    std::erase_if(accounts_, [&](const auto& item) { return item.first != account && item.second.expired(); });
    backlog = std::make_shared<Backlog>(state_, std::move(account));
    known = backlog;
  }
  return backlog;
}

Backlog::Backlog(std::shared_ptr<Backlogs::State> state, std::string account)
    : state_(std::move(state)), account_(std::move(account)) {}

net::Bytes Backlog::hold(std::string lines) {
  const std::size_t bytes = lines.size() + kOverhead;
  held_ += bytes;
  return net::Bytes(new const std::string(std::move(lines)),
                    [self = shared_from_this(), bytes](const std::string* done) {
                      delete done;
                      self->release(bytes);
                    });
}

void Backlog::release(std::size_t bytes) {
  held_ -= bytes;
  line_up();
}

std::size_t Backlog::share() const {
  return std::clamp(kShared / std::max<std::size_t>(watches_, 1), kSmallestShare, kLargestShare);
}

void Backlog::in_turn(Task task) {
  turns_.push_back(std::move(task));
  line_up();
}

void Backlog::line_up() {
  if (in_line_ || turns_.empty() || held_ >= kPause || state_->loop == nullptr) return;
  in_line_ = true;
  state_->line.push_back(shared_from_this());
  state_->schedule();
}

}  // namespace muster::apiserver
