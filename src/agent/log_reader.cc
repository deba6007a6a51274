#include "agent/log_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/log_text.h"
#include "agent/paths.h"
#include "agent/record.h"
#include "agent/recover.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

constexpr std::size_t kChunk = 64 * 1024;

class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(Loop& loop, std::string folder, const client::LogRequest& request,
         UniqueFunction<void(std::string_view)> on_text, UniqueFunction<void(Status)> on_end)
      : loop_(loop),
        folder_(std::move(folder)),
        container_(request.container),
        follow_(request.follow),
        text_({.timestamps = request.timestamps, .since = request.since, .limit_bytes = request.limit_bytes}),
        on_text_(std::move(on_text)),
        on_end_(std::move(on_end)) {}
  ~Reader() { stop_waiting(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status open(const client::LogRequest& request) {
    file_ = Fd(::open((folder_ + "/" + container_ + ".log").c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                          quote(container_), quote(request.pod))};
    }
    if (request.tail_lines) offset_ = find_tail(file_.get(), *request.tail_lines);
    if (follow_) TRY(start_waiting());
    schedule();
    return ok();
  }

  void pause() { paused_ = true; }
  void resume() {
    paused_ = false;
    schedule();
  }

 private:
  void schedule() {
    if (scheduled_ || paused_) return;
    scheduled_ = true;
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->step();
    });
  }

  /// Watches the log file, the records and the shim's exit.
  Status start_waiting() {
    TRY_ASSIGN(auto inotify, linux_os::Inotify::open());
    TRY_ASSIGN(const int watch, inotify.watch_folder(folder_, linux_os::Inotify::Interest::kReplacedOrWritten));
    (void)watch;
    inotify_.emplace(std::move(inotify));
    inotify_id_ = loop_.on_readable(inotify_->fd(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->inotify_->read();
      self->schedule();
    });
    Recovered found = examine_attempt(folder_);
    if (found.verdict != Verdict::kAdopt) {
      over_ = true;
      return ok();
    }
    shim_ = std::move(found.pidfd);
    shim_id_ = loop_.on_readable(shim_.get(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->over_ = true;
      self->loop_.cancel(std::exchange(self->shim_id_, 0));
      self->schedule();
    });
    return ok();
  }

  void stop_waiting() {
    if (inotify_id_ != 0) loop_.cancel(std::exchange(inotify_id_, 0));
    if (shim_id_ != 0) loop_.cancel(std::exchange(shim_id_, 0));
  }

  bool container_has_ended() const {
    if (over_) return true;
    const auto state = read_file(folder_ + kStateFile);
    if (!state) return false;
    const auto record = parse_record(*state);
    if (!record) return false;
    const ContainerRecord* container = record->find(container_);
    return container != nullptr && container->state == RunState::kTerminated;
  }

  void step() {
    scheduled_ = false;
    if (!on_end_ || paused_) return;
    // Checked before reading: once the container has ended, the end of the file is final.
    const bool last = !follow_ || (at_end_ && container_has_ended());
    std::string bytes(kChunk, '\0');
    ssize_t n = 0;
    do {
      n = ::pread(file_.get(), bytes.data(), bytes.size(), offset_);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return end(errno_error("read the log of container " + quote(container_), errno));
    std::string out;
    if (n > 0) {
      offset_ += n;
      text_.take(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)), out);
    }
    const bool at_end_before = std::exchange(at_end_, n == 0);
    if (!out.empty()) on_text_(out);
    if (text_.done() || (n == 0 && last)) return end(ok());
    // One more step after the first time the end was reached, to check whether the container has ended.
    if (n > 0 || !at_end_before) schedule();
  }

  void end(Status how) {
    stop_waiting();
    std::exchange(on_end_, nullptr)(std::move(how));
  }

  Loop& loop_;
  std::string folder_;
  std::string container_;
  bool follow_;
  LogText text_;
  UniqueFunction<void(std::string_view)> on_text_;
  UniqueFunction<void(Status)> on_end_;
  Fd file_;
  std::int64_t offset_ = 0;
  bool scheduled_ = false;
  bool paused_ = false;
  bool at_end_ = false;
  bool over_ = false;  // the shim is gone
  std::optional<linux_os::Inotify> inotify_;
  Fd shim_;
  Loop::Id inotify_id_ = 0;
  Loop::Id shim_id_ = 0;
};

class Stream final : public client::LogStream {
 public:
  explicit Stream(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}
  void pause() override { reader_->pause(); }
  void resume() override { reader_->resume(); }

 private:
  std::shared_ptr<Reader> reader_;
};

}  // namespace

Result<std::unique_ptr<client::LogStream>> open_log_stream(Loop& loop, const std::string& folder,
                                                           const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end) {
  auto reader = std::make_shared<Reader>(loop, folder, request, std::move(on_text), std::move(on_end));
  TRY(reader->open(request));
  return std::unique_ptr<client::LogStream>(std::make_unique<Stream>(std::move(reader)));
}

}  // namespace muster::agent
