// Shared by the store's tests: a temporary directory, a loop that the writer thread can post to, and short functions
// for writing and reading. Tests only.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ports.h"
#include "store/store.h"

namespace muster::store {

/// Runs posted tasks on the test's thread, and waits for the writer without sleeping. It can hold the writer, so that a
/// test chooses the writes of a group.
class PostLoop final : public Loop {
 public:
  Time now() const override { return Time(); }
  MonoTime mono() const override { return mono_; }
  void advance(Duration span) { mono_ += span; }

  void post(Task task) override {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() != owner_) {
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
      --waiting_;
    }
    tasks_.push_back({stamp ? stamp() : 0, std::move(task)});
    changed_.notify_all();
  }
  /// Called on the poster's thread when a task is posted; its result is `stamp_of_running` while the task
  /// runs.
  std::function<std::size_t()> stamp;
  std::size_t stamp_of_running() const { return stamp_of_running_; }
  Id after(Duration, Task) override {
    CHECK(!"the store sets no timers");
    return 0;
  }
  Id on_readable(int, UniqueFunction<void()>) override {
    CHECK(!"the store watches no descriptors");
    return 0;
  }
  void cancel(Id) override {}

  void run_until(const std::function<bool()>& done) {
    while (!done()) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty(); });
        task = take();
      }
      task();
    }
  }
  void run_posted() {
    for (;;) {
      Task task;
      {
        const std::lock_guard lock(mutex_);
        if (tasks_.empty()) return;
        task = take();
      }
      task();
    }
  }

  /// Makes the writer block where it posts its next outcome.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }

 private:
  Task take() {
    auto [stamped, task] = std::move(tasks_.front());
    tasks_.pop_front();
    stamp_of_running_ = stamped;
    return std::move(task);
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  MonoTime mono_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::size_t, Task>> tasks_;
  std::size_t stamp_of_running_ = 0;
  bool held_ = false;
  int waiting_ = 0;
};

// Whether this is `./run-tests --full`, with the large counts.
inline bool full_run() {
  const char* full = std::getenv("MUSTER_FULL");
  return full != nullptr && *full != '\0';
}

class TempDir {
 public:
  TempDir() {
    // The directory is in memory if possible, because these tests sync thousands of times.
    const char* chosen = std::getenv("TMPDIR");
    const std::string parent = chosen != nullptr ? chosen : ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path_ = parent + "/muster-store-XXXXXX";
    CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Key pod(std::string name, std::string ns = "default") {
  return {"pods", std::move(ns), std::move(name)};
}

/// The content of the objects in these tests: "VALUE@REVISION".
inline Render body(std::string value) {
  return [value = std::move(value)](Revision revision) {
    return Rendered{fmt::format("{}@{}", value, revision), {{"value", value}}};
  };
}
inline std::string value_of(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.rfind('@')));
}

inline Options test_options(const std::string& directory) {
  Options options;
  options.directory = directory;
  options.extract = [](std::string_view, std::string_view bytes) { return Attributes{{"value", value_of(bytes)}}; };
  options.ballast_bytes = 0;
  return options;
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : options_(test_options(dir_.path() + "/data")) {
    options_.on_fatal = [this](const Error& error) { fatal_.push_back(error); };
  }

  Store& open() {
    auto opened = Store::open(loop_, options_);
    if (!opened) ADD_FAILURE() << opened.error().message;
    CHECK(opened.has_value());
    store_ = *std::move(opened);
    return *store_;
  }
  Store& reopen() {
    close();
    return open();
  }
  void close() {
    if (store_ != nullptr) store_->close();
    loop_.run_posted();
    store_.reset();
  }
  /// The error with which opening the directory fails.
  Error open_error() {
    auto opened = Store::open(loop_, options_);
    EXPECT_FALSE(opened.has_value());
    return opened ? Error() : opened.error();
  }

  using Outcome = std::shared_ptr<std::optional<Result<Entry>>>;
  Outcome start_put(const Key& key, Revision expected, const std::string& value) {
    auto outcome = std::make_shared<std::optional<Result<Entry>>>();
    store_->put(key, expected, body(value), [outcome](Result<Entry> result) { *outcome = std::move(result); });
    return outcome;
  }
  Outcome start_remove(const Key& key, Revision expected) {
    auto outcome = std::make_shared<std::optional<Result<Entry>>>();
    const Entry* latest = store_->latest(key);
    store_->remove(key, expected, body(latest == nullptr ? "" : value_of(*latest->bytes)),
                   [outcome](Result<Entry> result) { *outcome = std::move(result); });
    return outcome;
  }
  Result<Entry> wait(const Outcome& outcome) {
    loop_.run_until([&] { return outcome->has_value(); });
    return **outcome;
  }
  Result<Entry> put(const Key& key, Revision expected, const std::string& value) {
    return wait(start_put(key, expected, value));
  }
  Result<Entry> remove(const Key& key, Revision expected) { return wait(start_remove(key, expected)); }

  /// Everything that readers see of a resource, as "ns/name=bytes".
  std::vector<std::string> all(const std::string& resource = "pods", const std::string& ns = "") const {
    std::vector<std::string> seen;
    store_->scan(resource, ns, [&](const Key& key, const Entry& entry) {
      seen.push_back(fmt::format("{}/{}={}", key.ns, key.name, *entry.bytes));
    });
    return seen;
  }

  TempDir dir_;
  PostLoop loop_;
  Options options_;
  std::vector<Error> fatal_;
  std::unique_ptr<Store> store_;
};

}  // namespace muster::store
