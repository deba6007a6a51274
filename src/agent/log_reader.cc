#include "agent/log_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/log_files.h"
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
  Reader(Loop& loop, const std::string& pod_folder, int run, const client::LogRequest& request,
         UniqueFunction<void(std::string_view)> on_text, UniqueFunction<void(Status)> on_end)
      : loop_(loop),
        files_(pod_folder, request.container, run),
        container_(request.container),
        run_(run),
        follow_(request.follow),
        text_({.timestamps = request.timestamps,
               .fold = request.fold,
               .since = request.since,
               .limit_bytes = request.limit_bytes}),
        on_text_(std::move(on_text)),
        on_end_(std::move(on_end)) {}
  ~Reader() { stop_waiting(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status open(const client::LogRequest& request) {
    const std::vector<int> segments = files_.segments();
    if (segments.empty() || !begin_at(segments.front())) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                          quote(container_), quote(request.pod))};
    }
    if (request.tail_lines) skip_to_tail(segments, *request.tail_lines);
    if (follow_) {
      TRY(start_waiting());
    } else {
      end_ = end_of(segments.back());
    }
    schedule();
    return ok();
  }

  void pause() { paused_ = true; }
  void resume() {
    paused_ = false;
    schedule();
  }

 private:
  struct Position {
    int segment = 0;
    std::int64_t offset = 0;
    auto operator<=>(const Position&) const = default;
  };

  Position end_of(int segment) const {
    const Fd file = files_.open(segment);
    return {.segment = segment, .offset = file ? std::max<std::int64_t>(0, ::lseek(file.get(), 0, SEEK_END)) : 0};
  }

  /// Returns how much may be read from here at once: without `follow`, not beyond where the log ended when it was
  /// opened, because a program that writes faster than its log is read would never let the stream end.
  std::size_t readable() const {
    if (!end_ || segment_ < end_->segment) return kChunk;
    if (Position{segment_, offset_} >= *end_) return 0;
    return static_cast<std::size_t>(std::min<std::int64_t>(kChunk, end_->offset - offset_));
  }

  /// Returns false when the segment cannot be opened.
  bool begin_at(int segment, std::int64_t offset = 0) {
    Fd file = files_.open(segment);
    if (!file) return false;
    file_ = std::move(file);
    segment_ = segment;
    offset_ = offset;
    next_.reset();
    return true;
  }

  void skip_to_tail(const std::vector<int>& segments, std::int64_t lines) {
    for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
      if (!begin_at(*segment)) return;  // removed meanwhile, and all before it
      const Tail tail = find_tail(file_.get(), lines, segment == segments.rbegin());
      offset_ = tail.offset;
      if (tail.found) return;
      lines = tail.missing;
    }
  }

  void schedule() {
    if (scheduled_ || paused_) return;
    scheduled_ = true;
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->step();
    });
  }

  /// Watches the log's files, the records and the shim's exit.
  Status start_waiting() {
    const std::string launch_folder = files_.launch_folder();
    state_file_ = launch_folder + kStateFile;
    TRY_ASSIGN(auto inotify, linux_os::Inotify::open());
    TRY(inotify.watch_folder(launch_folder, linux_os::Inotify::Interest::kReplaced));
    TRY(inotify.watch_folder(files_.folder(), linux_os::Inotify::Interest::kReplacedOrWritten));
    inotify_.emplace(std::move(inotify));
    inotify_id_ = loop_.on_readable(inotify_->fd(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->inotify_->read();
      self->schedule();
    });
    Recovered found = examine_launch(launch_folder);
    if (found.presence != Presence::kRunning) {
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

  bool run_has_ended() const {
    if (over_) return true;
    const auto state = read_file(state_file_);
    if (!state) return false;
    const auto record = parse_record(*state);
    if (!record) return false;
    const ContainerRecord* container = record->find(container_);
    if (container == nullptr) return false;
    if (!files_.is_version_1() && container->run != run_) return container->run > run_;
    return container->state == RunState::kTerminated;
  }

  void step() {
    scheduled_ = false;
    if (!on_end_ || paused_) return;
    // Checked before reading: once the run has ended, the end of the last segment is final.
    const bool last = !follow_ || (at_end_ && run_has_ended());
    std::string bytes(readable(), '\0');
    ssize_t n = 0;
    do {
      n = ::pread(file_.get(), bytes.data(), bytes.size(), offset_);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return end(errno_error("read the log of container " + quote(container_), errno));
    if (n == 0 && !bytes.empty() && go_to_next_segment()) return schedule();
    std::string out;
    if (n > 0) {
      offset_ += n;
      text_.take(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)), out);
    }
    if (n == 0 && last) text_.finish(out);
    const bool at_end_before = std::exchange(at_end_, n == 0);
    if (!out.empty()) on_text_(out);
    if (text_.done() || (n == 0 && last)) return end(ok());
    // One more step after the first time the end was reached, to check whether the run has ended.
    if (n > 0 || !at_end_before) schedule();
  }

  /// Called at the end of a segment. Once there is a next one, the end is read again before it counts as final. Returns
  /// false when there is no next one.
  bool go_to_next_segment() {
    if (next_) {
      if (!begin_at(*next_)) next_ = files_.after(*next_, file_);  // removed meanwhile
      return true;
    }
    next_ = files_.after(segment_, file_);
    return next_.has_value();
  }

  void end(Status how) {
    stop_waiting();
    std::exchange(on_end_, nullptr)(std::move(how));
  }

  Loop& loop_;
  LogFiles files_;
  std::string container_;
  int run_;
  bool follow_;
  std::string state_file_;
  LogText text_;
  UniqueFunction<void(std::string_view)> on_text_;
  UniqueFunction<void(Status)> on_end_;
  Fd file_;
  int segment_ = 0;
  std::optional<int> next_;  // the segment after this one, once it exists
  std::int64_t offset_ = 0;
  std::optional<Position> end_;  // where to stop reading
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

Result<std::unique_ptr<client::LogStream>> open_log_stream(Loop& loop, const std::string& pod_folder, int run,
                                                           const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end) {
  auto reader = std::make_shared<Reader>(loop, pod_folder, run, request, std::move(on_text), std::move(on_end));
  TRY(reader->open(request));
  return std::unique_ptr<client::LogStream>(std::make_unique<Stream>(std::move(reader)));
}

}  // namespace muster::agent
