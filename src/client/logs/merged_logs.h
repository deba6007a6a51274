// MergedLogs reads several logs as they are now, as one, in the order of their lines' times.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/api_client.h"
#include "client/logs/log_merger.h"

namespace muster::client {

struct LogToMerge {
  std::string target;  // asks for timestamps
  std::string prefix;
};

struct MergedSink {
  std::function<void(std::string_view lines)> on_lines;
  /// Called once for each log, after the lines that its end lets through.
  std::function<void(const Status& how)> on_end;
};

/// Loop thread only. Must not be destroyed inside a callback.
class MergedLogs {
 public:
  MergedLogs(ApiClient& api, const std::vector<LogToMerge>& logs, bool show_times, MergedSink sink);

  /// Whether every log has been read to its end.
  bool over() const { return left_ == 0; }
  /// While it is paused, nothing more is read than what is already on the way.
  void pause(bool paused);

 private:
  struct Stream {
    std::unique_ptr<net::Call> call;
    bool waits = false;  // it is paused
  };
  net::ResponseSink sink_of(std::size_t log);
  void pass_on();
  void balance();

  MergedSink sink_;
  LogMerger merger_;
  std::size_t left_;
  bool paused_ = false;
  std::vector<Stream> streams_;  // last: their callbacks use the rest
};

}  // namespace muster::client
