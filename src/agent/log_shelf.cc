#include "agent/log_shelf.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "agent/log_files.h"
#include "agent/log_reader.h"
#include "agent/name_index.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

constexpr std::size_t kKeptPods = 500;

Error bad_request(std::string message) {
  return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
}

}  // namespace

Result<std::unique_ptr<client::LogStream>> LogShelf::read(const client::LogRequest& request,
                                                          UniqueFunction<void(std::string_view)> on_text,
                                                          UniqueFunction<void(Status)> on_end) const {
  std::optional<std::string> uid = request.pod_uid;
  if (uid->empty()) uid = previous_holder(paths_, request.ns, request.pod, "");
  std::optional<int> run = uid ? last_run(paths_.pod(*uid), request.container) : std::nullopt;
  if (request.previous) {
    // The run before this one, or the last one of the attempt before.
    if (run && *run > 0) {
      --*run;
    } else {
      uid = uid ? previous_holder(paths_, request.ns, request.pod, *uid) : std::nullopt;
      run = uid ? last_run(paths_.pod(*uid), request.container) : std::nullopt;
    }
    if (!run) {
      return bad_request(fmt::format("previous terminated container {} in pod {} not found", quote(request.container),
                                     quote(request.pod)));
    }
  }
  if (!run) {
    return bad_request(fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                   quote(request.container), quote(request.pod)));
  }
  return open_log_stream(loop_, paths_.pod(*uid), *run, request, std::move(on_text), std::move(on_end));
}

void LogShelf::remove_old(const std::function<bool(const std::string&)>& is_in_use) {
  namespace fs = std::filesystem;
  std::vector<std::pair<fs::file_time_type, std::string>> gone;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(paths_.pods(), error)) {
    const std::string uid = entry.path().filename().string();
    if (is_in_use(uid)) continue;
    std::error_code stat_error;
    gone.emplace_back(entry.last_write_time(stat_error), uid);
  }
  if (gone.size() <= kKeptPods) return;
  std::ranges::sort(gone);
  gone.resize(gone.size() - kKeptPods);
  for (const auto& [time, uid] : gone) {
    if (const auto taken = trash_.take(paths_.pod(uid)); !taken)
      LOG_WARN("old log not removed", {"error", taken.error().message});
  }
}

}  // namespace muster::agent
