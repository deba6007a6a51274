#include "agent/logs/log_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

#include "agent/disk/paths.h"
#include "agent/logs/line_state.h"
#include "agent/logs/log_files.h"
#include "agent/logs/log_text.h"
#include "agent/pod/record.h"
#include "agent/pod/recover.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

constexpr std::size_t kChunk = 64 * 1024;

/// How much of a log is kept for one reader that has not come to it yet, after the shim has removed it.
constexpr int kMostRemovedSegments = 64;
constexpr std::int64_t kMostRemovedBytes = 512 << 20;

/// How often a log is looked at where the kernel has no watch left: it allows a user 128 of them by default.
constexpr Duration kPollInterval = std::chrono::milliseconds(100);

constexpr std::string_view kGap = "--- part of the log is missing here: it was removed before it was read ---";

class Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(Loop& loop, const std::string& pod_folder, int run, const node::LogRequest& request,
         UniqueFunction<void(std::string_view)> on_text, UniqueFunction<void(Status)> on_end,
         std::shared_ptr<RemovedLogs> removed)
      : loop_(loop),
        files_(pod_folder, request.container, run),
        container_(request.container),
        run_(run),
        follow_(request.follow),
        shows_states_(request.follow),
        text_({.timestamps = request.timestamps,
               .fold = request.fold,
               .since = request.since,
               .limit_bytes = request.limit_bytes}),
        on_text_(std::move(on_text)),
        on_end_(std::move(on_end)),
        removed_(std::move(removed)) {}
  ~Reader() {
    stop_waiting();
    note_removed(0);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status open(const node::LogRequest& request) {
    if (!open_first_segment()) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                          quote(container_), quote(request.pod))};
    }
    // A follower that comes back says what it has seen; what came next may be gone.
    segments_.front().follows_gap = follow_ && request.since && !request.tail_lines && begins_after(*request.since);
    open_new_segments();
    if (request.tail_lines) skip_to_tail(*request.tail_lines);
    if (follow_) {
      TRY(start_waiting());
    } else {
      end_ = end_of_log();
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

  /// A segment stays readable while it is open, also after the shim has removed it.
  struct Segment {
    int number = 0;
    Fd file;
    bool follows_gap = false;  // the one before it could not be read
  };

  bool open_first_segment() {
    for (const int number : files_.segments()) {
      Fd file = files_.open(number);
      if (!file) continue;  // removed meanwhile
      segments_.push_back({.number = number, .file = std::move(file)});
      return true;
    }
    return false;
  }

  /// Whether lines between this time and the oldest that are kept have been removed.
  bool begins_after(Time time) const {
    const Segment& oldest = segments_.front();
    std::string first(kLogTimeSize, '\0');
    if (oldest.number == 0 || ::pread(oldest.file.get(), first.data(), first.size(), 0) < ssize_t{kLogTimeSize})
      return false;
    const auto begin = parse_rfc3339(first);
    return begin && *begin > time;
  }

  void open_new_segments() {
    const std::size_t before = segments_.size();
    std::optional<int> next = files_.after(segments_.back().number, segments_.back().file);
    while (next) {
      Fd file = files_.open(*next);
      if (!file && errno != ENOENT) break;  // tried again later; only what was removed meanwhile is passed over
      const bool follows_gap = *next != segments_.back().number + 1;
      if (file) segments_.push_back({.number = *next, .file = std::move(file), .follows_gap = follows_gap});
      next = files_.after(segments_.back().number, segments_.back().file);
    }
    if (segments_.size() > before) close_surplus_segments();
  }

  /// Closes the oldest segments behind the one that is being read when a slow reader would keep too much on the disk.
  void close_surplus_segments() {
    const std::int64_t most_bytes = std::min(kMostRemovedBytes, removed_->room_for(removed_bytes_));
    int count = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = segments_.size() - 1; i > 0; --i) {
      struct stat what {};
      if (::fstat(segments_[i].file.get(), &what) != 0 || what.st_nlink > 0) continue;
      if (count < kMostRemovedSegments && bytes + what.st_size <= most_bytes) {
        ++count;
        bytes += what.st_size;
        continue;
      }
      segments_.erase(segments_.begin() + 1, segments_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (segments_.size() > 1) segments_[1].follows_gap = true;
      break;
    }
    note_removed(bytes);
  }

  void note_removed(std::int64_t bytes) { removed_->change(bytes - std::exchange(removed_bytes_, bytes)); }

  Position end_of_log() const {
    const Segment& last = segments_.back();
    return {.segment = last.number, .offset = std::max<std::int64_t>(0, ::lseek(last.file.get(), 0, SEEK_END))};
  }

  /// Returns how much may be read from here at once: without `follow`, not beyond where the log ended when it was
  /// opened, because a program that writes faster than its log is read would never let the stream end.
  std::size_t readable() const {
    const int segment = segments_.front().number;
    if (!end_ || segment < end_->segment) return kChunk;
    if (Position{segment, offset_} >= *end_) return 0;
    return static_cast<std::size_t>(std::min<std::int64_t>(kChunk, end_->offset - offset_));
  }

  void skip_to_tail(std::int64_t lines) {
    for (std::size_t i = segments_.size(); i-- > 0;) {
      const Tail tail = find_tail(segments_[i].file.get(), lines, i + 1 == segments_.size());
      offset_ = tail.offset;
      lines = tail.missing;
      if (!tail.found) continue;
      segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
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
    if (!watch(launch_folder)) poll();
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

  Status watch(const std::string& launch_folder) {
    TRY_ASSIGN(auto inotify, linux_os::Inotify::open());
    TRY(inotify.watch_folder(launch_folder, linux_os::Inotify::Interest::kReplaced));
    TRY(inotify.watch_folder(files_.folder(), linux_os::Inotify::Interest::kReplacedOrWritten));
    inotify_.emplace(std::move(inotify));
    inotify_id_ = loop_.on_readable(inotify_->fd(), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->inotify_->read();
      self->look();
    });
    return ok();
  }

  void poll() {
    poll_id_ = loop_.after(kPollInterval, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->look();
      self->poll();
    });
  }

  void look() {
    open_new_segments();  // also while paused, before the shim removes them
    schedule();
  }

  void stop_waiting() {
    if (poll_id_ != 0) loop_.cancel(std::exchange(poll_id_, 0));
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
    if (follow_) open_new_segments();
    // Checked before reading: once there is a next segment, or the run has ended, the end of this one is final.
    const bool has_next = segments_.size() > 1;
    const bool last = !follow_ || (at_end_ && run_has_ended());
    std::string bytes(readable(), '\0');
    ssize_t n = 0;
    do {
      n = ::pread(segments_.front().file.get(), bytes.data(), bytes.size(), offset_);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return end(errno_error("read the log of container " + quote(container_), errno));
    if (n == 0 && !bytes.empty() && has_next) {
      go_to_next_segment();
      return schedule();
    }
    std::string out;
    if (n > 0) take(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)), out);
    if (n == 0 && last) finish_text(out);
    const bool at_end_before = std::exchange(at_end_, n == 0);
    if (shows_states_) show_state(at_end_ && at_end_before && !last, out);
    if (!out.empty()) on_text_(out);
    if (text_.done() || (n == 0 && last)) return end(ok());
    // One more step after the first time the end was reached, to check whether the run has ended.
    if (n > 0 || !at_end_before) schedule();
  }

  /// A log that is read as it is now ends with what its last line shows now.
  void finish_text(std::string& out) {
    text_.finish(out);
    if (follow_) return;
    if (const auto state = read_line_state(files_.state_path())) text_.end_with_state(*state, out);
  }

  /// Lines take the place of a state, so it is shown again after them.
  void show_state(bool at_end, std::string& out) {
    if (!out.empty()) state_.reset();
    if (!at_end) return;
    std::optional<LineState> now = read_line_state(files_.state_path());
    if (now == state_) return;
    text_.show_state(now ? *now : LineState{.time = state_->time, .stream = state_->stream, .text = ""}, out);
    state_ = std::move(now);
  }

  void go_to_next_segment() {
    segments_.pop_front();
    offset_ = 0;
    close_surplus_segments();
  }

  void take(std::string_view bytes, std::string& out) {
    if (std::exchange(segments_.front().follows_gap, false)) {
      const std::string_view time = bytes.substr(0, bytes.find(' '));
      text_.mark_gap(time, kGap, out);
    }
    offset_ += static_cast<std::int64_t>(bytes.size());
    text_.take(bytes, out);
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
  bool shows_states_;               // of a line that is written over
  std::optional<LineState> state_;  // the last that was shown, while nothing else was
  std::string state_file_;
  LogText text_;
  UniqueFunction<void(std::string_view)> on_text_;
  UniqueFunction<void(Status)> on_end_;
  std::shared_ptr<RemovedLogs> removed_;
  std::int64_t removed_bytes_ = 0;  // what this reader keeps, as far as `removed_` knows
  std::deque<Segment> segments_;    // from the one that is being read to the newest
  std::int64_t offset_ = 0;         // in the first of them
  std::optional<Position> end_;     // where to stop reading
  bool scheduled_ = false;
  bool paused_ = false;
  bool at_end_ = false;
  bool over_ = false;  // the shim is gone
  std::optional<linux_os::Inotify> inotify_;
  Fd shim_;
  Loop::Id inotify_id_ = 0;
  Loop::Id poll_id_ = 0;
  Loop::Id shim_id_ = 0;
};

class Stream final : public node::LogStream {
 public:
  explicit Stream(std::shared_ptr<Reader> reader) : reader_(std::move(reader)) {}
  void pause() override { reader_->pause(); }
  void resume() override { reader_->resume(); }

 private:
  std::shared_ptr<Reader> reader_;
};

}  // namespace

Result<std::unique_ptr<node::LogStream>> open_log_stream(Loop& loop, const std::string& pod_folder, int run,
                                                         const node::LogRequest& request,
                                                         UniqueFunction<void(std::string_view)> on_text,
                                                         UniqueFunction<void(Status)> on_end,
                                                         std::shared_ptr<RemovedLogs> removed) {
  auto reader = std::make_shared<Reader>(loop, pod_folder, run, request, std::move(on_text), std::move(on_end),
                                         std::move(removed));
  TRY(reader->open(request));
  return std::unique_ptr<node::LogStream>(std::make_unique<Stream>(std::move(reader)));
}

}  // namespace muster::agent
