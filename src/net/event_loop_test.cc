#include "net/event_loop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "net/socket.h"
#include "testing/loopback_fixture.h"

namespace muster::net {
namespace {

using ::testing::ElementsAre;

class EventLoopTest : public LoopbackTest {};

TEST_F(EventLoopTest, TasksRunInOrderAndTimersByTime) {
  std::vector<int> ran;
  loop_.after(std::chrono::milliseconds(20), [&] { ran.push_back(3); });
  loop_.after(std::chrono::milliseconds(5), [&] { ran.push_back(2); });
  loop_.post([&] { ran.push_back(0); });
  loop_.post([&] { ran.push_back(1); });
  EXPECT_TRUE(ran.empty());
  wait([&] { return ran.size() == 4; });
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
}

TEST_F(EventLoopTest, IdleTasksWaitForTheOthers) {
  std::string order;
  loop_.post_when_idle([&] { order += 'c'; });
  loop_.post([&] {
    order += 'a';
    loop_.post([&] { order += 'b'; });
  });
  loop_.run_until([&] { return order.size() == 3; });
  EXPECT_EQ(order, "abc");
}

TEST_F(EventLoopTest, IdleTasksRunAlthoughTheLoopIsNeverIdle) {
  bool ran = false;
  loop_.post_when_idle([&] { ran = true; });
  std::function<void()> again = [&] { loop_.post([&] { again(); }); };
  again();
  loop_.run_until([&] { return ran; });
  EXPECT_TRUE(ran);
}

TEST_F(EventLoopTest, IdleTasksWaitWhileTheOwnerIsBusyButNotForEver) {
  bool busy = true;
  loop_.set_busy([&] { return busy; });
  std::string order;
  loop_.post_when_idle([&] { order += 'b'; });
  loop_.after(std::chrono::milliseconds(1), [&] { order += 'a'; });
  loop_.run_until([&] { return order.size() == 2; });
  EXPECT_EQ(order, "ab") << "it waited for the timer";
  loop_.post_when_idle([&] { busy = false; });
  loop_.run_until([&] { return !busy; });
}

TEST_F(EventLoopTest, CancelledTimerDoesNotRunAndLetsGoOfItsCaptures) {
  auto held = std::make_shared<int>(1);
  bool ran = false;
  const auto id = loop_.after(std::chrono::milliseconds(1), [&ran, held] { ran = true; });
  EXPECT_EQ(held.use_count(), 2);
  loop_.cancel(id);
  EXPECT_EQ(held.use_count(), 1);
  loop_.cancel(id);
  pass(std::chrono::milliseconds(10));
  EXPECT_FALSE(ran);
}

TEST_F(EventLoopTest, TimerCancelledByAnotherThatFellDueWithIt) {
  bool ran = false;
  Loop::Id second = 0;
  loop_.after(Duration::zero(), [&] { loop_.cancel(second); });
  second = loop_.after(Duration::zero(), [&] { ran = true; });
  pass(std::chrono::milliseconds(5));
  EXPECT_FALSE(ran);
}

TEST_F(EventLoopTest, ReadableFiresUntilDrainedAndUntilCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int fired = 0;
  Loop::Id id = 0;
  id = loop_.on_readable(ends[0], [&] {
    if (++fired == 3) loop_.cancel(id);  // the data is never read, so the watch fires repeatedly
  });
  pass(std::chrono::milliseconds(5));
  EXPECT_EQ(fired, 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  pass(std::chrono::milliseconds(20));
  EXPECT_EQ(fired, 3);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1) << "the descriptor stays the caller's";
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(EventLoopTest, NobodyIsCalledForWhatAnotherHasRead) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  // Both wait for the same byte, and are woken up together.
  int fired = 0;
  const auto read_one = [&] {
    ++fired;
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  };
  const Loop::Id ids[] = {loop_.on_readable(ends[0], read_one), loop_.on_readable(ends[0], read_one)};
  for (int i = 1; i <= 2; ++i) {
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    pass(std::chrono::milliseconds(5));
    EXPECT_EQ(fired, i);
  }
  for (const Loop::Id id : ids) loop_.cancel(id);
  for (const int fd : ends) ::close(fd);
}

TEST_F(EventLoopTest, APeekThatWasWokenUpForNothingWaitsOn) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Socket first(loop_);
  Socket second(loop_);
  const int copy = ::dup(ends[0]);
  ASSERT_TRUE(first.adopt(ends[0], AF_UNIX));
  ASSERT_TRUE(second.adopt(copy, AF_UNIX));
  std::string seen;
  const auto take = [&](const IoEnd& end, unsigned char byte) {
    EXPECT_TRUE(end.ok());
    seen += static_cast<char>(byte);
    char taken = 0;
    EXPECT_EQ(::recv(copy, &taken, 1, MSG_DONTWAIT), 1);
  };
  first.peek(take);
  second.peek(take);
  for (const char* byte : {"a", "b"}) {
    ASSERT_EQ(::write(ends[1], byte, 1), 1);
    pass(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(seen, "ab");
  ::close(ends[1]);
}

TEST_F(EventLoopTest, ClosingBeforeCancellingHarmsNobody) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto first = loop_.on_readable(ends[0], [] {});
  ::close(ends[0]);
  int others[2];
  ASSERT_EQ(::pipe(others), 0);  // reuses the descriptor number that was closed
  int fired = 0;
  Loop::Id second = 0;
  second = loop_.on_readable(others[0], [&] {
    ++fired;
    loop_.cancel(second);
  });
  loop_.cancel(first);
  ASSERT_EQ(::write(others[1], "x", 1), 1);
  wait([&] { return fired == 1; });
  for (const int fd : {ends[1], others[0], others[1]}) ::close(fd);
}

TEST_F(EventLoopTest, PostFromAnotherThreadRunsHere) {
  std::thread::id where;
  std::thread other([&] { loop_.post([&] { where = std::this_thread::get_id(); }); });
  wait([&] { return where != std::thread::id(); });
  other.join();
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST_F(EventLoopTest, StopSignalBecomesATask) {
  std::vector<int> seen;
  loop_.on_stop_signal([&](int signal) { seen.push_back(signal); });
  ::raise(SIGTERM);
  wait([&] { return seen.size() == 1; });
  ::raise(SIGINT);
  wait([&] { return seen.size() == 2; });
  EXPECT_THAT(seen, ElementsAre(SIGTERM, SIGINT));
}

TEST_F(EventLoopTest, StopEndsRun) {
  loop_.post([&] { loop_.stop(); });
  loop_.run();
  bool again = false;
  loop_.post([&] {
    again = true;
    loop_.stop();
  });
  loop_.run();
  EXPECT_TRUE(again);
}

TEST(EventLoop, CapturesMayCancelWhileTheLoopGoes) {
  struct Canceller {
    EventLoop& loop;
    Loop::Id id = 0;
    ~Canceller() {
      loop.cancel(id);
      loop.post([] {});
    }
  };
  auto loop = std::make_unique<EventLoop>();
  auto held = std::make_shared<Canceller>(Canceller{*loop});
  held->id = loop->after(std::chrono::hours(1), [] {});
  loop->after(std::chrono::hours(1), [held] {});
  loop->post([held] {});
  std::weak_ptr<Canceller> watch = held;
  held.reset();
  loop.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace muster::net
