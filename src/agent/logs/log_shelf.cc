#include "agent/logs/log_shelf.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "agent/disk/tree_size.h"
#include "agent/logs/line_state.h"
#include "agent/logs/log_files.h"
#include "agent/logs/log_reader.h"
#include "agent/logs/log_retention.h"
#include "agent/logs/termination_message.h"
#include "agent/names/name_index.h"
#include "agent/names/pod_records.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

Error bad_request(std::string message) {
  return Error{.reason = Reason::kBadRequest, .message = std::move(message)};
}

/// The pod's folder and the run to read.
struct Chosen {
  std::string folder;
  int run = 0;
};

std::vector<std::string> containers_with_logs(const std::string& pod_folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(pod_folder + "/logs", none)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The object of an earlier attempt is gone, so its containers are known by their logs.
Result<std::string> choose_logged_container(const node::LogRequest& request, const std::string& pod_folder) {
  if (!request.container.empty()) return request.container;
  std::vector<std::string> names = containers_with_logs(pod_folder);
  if (names.size() == 1) return names.front();
  return bad_request(
      fmt::format("a container name must be specified for pod {}, choose one of: [{}]", request.pod, join(names, " ")));
}

Error no_previous(const node::LogRequest& request) {
  return bad_request(fmt::format("previous terminated container {} in pod {} not found", quote(request.container),
                                 quote(request.pod)));
}

Result<Chosen> choose_attempt(const Paths& paths, node::LogRequest& request) {
  std::optional<std::string> uid = request.pod_uid;
  if (uid->empty()) {
    uid = holder_of_attempt(paths, request.ns, request.pod, *request.attempt);
  } else if (!has_held(paths, request.ns, request.pod, *uid)) {
    uid.reset();
  }
  const auto missing = [&] {
    return Error{.reason = Reason::kNotFound,
                 .message = fmt::format("attempt {} of pod {} has no log: it has not run, or its log was removed",
                                        *request.attempt, quote(request.pod))};
  };
  if (!uid) return missing();
  Chosen chosen{.folder = paths.pod(*uid)};
  TRY_ASSIGN(request.container, choose_logged_container(request, chosen.folder));
  const std::optional<int> run = last_run(chosen.folder, request.container);
  if (!run) return missing();
  if (request.previous && *run == 0) return no_previous(request);
  chosen.run = request.previous ? *run - 1 : *run;
  return chosen;
}

Result<Chosen> choose_current(const Paths& paths, const node::LogRequest& request) {
  std::optional<std::string> uid = request.pod_uid;
  std::optional<int> run = last_run(paths.pod(*uid), request.container);
  if (request.previous) {
    // The run before this one, or the last one of the attempt before.
    if (run && *run > 0) {
      --*run;
    } else {
      uid = previous_holder(paths, request.ns, request.pod, *uid);
      run = uid ? last_run(paths.pod(*uid), request.container) : std::nullopt;
    }
    if (!run) return no_previous(request);
  }
  if (!run) {
    return bad_request(fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                   quote(request.container), quote(request.pod)));
  }
  return Chosen{.folder = paths.pod(*uid), .run = *run};
}

std::string end_of_last_run(const std::string& folder, const std::string& container) {
  const std::optional<int> run = last_run(folder, container);
  if (!run) return "";
  std::string end = end_of_log(folder, container, *run);
  if (const auto state = read_line_state(LogFiles(folder, container, *run).state_path())) {
    if (!end.empty() && !end.ends_with('\n')) end += '\n';
    end += state->text;
  }
  return end;
}

// ---- what is over the limits ----

struct RunFiles {
  KeptRun run;
  std::vector<std::string> paths;
};

std::map<int, RunFiles> runs_of(const std::string& container_folder) {
  std::map<int, RunFiles> runs;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(container_folder, none)) {
    const auto number = parse_int(split(entry.path().filename().string(), '.')[0]);
    struct stat what {};
    if (!number || ::stat(entry.path().c_str(), &what) != 0) continue;
    RunFiles& files = runs[static_cast<int>(*number)];
    files.run.run = static_cast<int>(*number);
    files.run.bytes += what.st_size;
    files.run.written = std::max(files.run.written, modified_at(what));
    files.paths.push_back(entry.path().string());
  }
  return runs;
}

/// Only the shim writes to a run, and only to the last one.
void remove_old_runs(const std::string& pod_folder, const LogRetention& limits, Time now) {
  for (const std::string& container : containers_with_logs(pod_folder)) {
    const std::map<int, RunFiles> runs = runs_of(fmt::format("{}/logs/{}", pod_folder, container));
    std::vector<KeptRun> kept;
    for (const auto& [number, files] : runs) kept.push_back(files.run);
    for (const int run : runs_to_remove(std::move(kept), limits, now)) {
      for (const std::string& path : runs.at(run).paths) ::unlink(path.c_str());
    }
  }
}

}  // namespace

Result<std::unique_ptr<node::LogStream>> LogShelf::read(const node::LogRequest& request,
                                                        UniqueFunction<void(std::string_view)> on_text,
                                                        UniqueFunction<void(Status)> on_end) const {
  node::LogRequest wanted = request;
  TRY_ASSIGN(const Chosen chosen, wanted.attempt ? choose_attempt(paths_, wanted) : choose_current(paths_, wanted));
  return open_log_stream(loop_, chosen.folder, chosen.run, wanted, std::move(on_text), std::move(on_end), removed_);
}

void LogShelf::end_of(std::string pod_uid, std::string container, UniqueFunction<void(std::string)> done) {
  disk_.run([folder = paths_.pod(pod_uid),
             container = std::move(container)](const std::stop_token&) { return end_of_last_run(folder, container); },
            std::move(done));
}

struct LogShelf::Found {
  std::vector<std::string> pods;    // to remove
  std::vector<std::string> names;   // files of names/ with pods that are gone
  std::vector<std::string> owners;  // and those of their owners
};

LogShelf::Found LogShelf::look(const Paths& paths, const std::set<std::string>& in_use, const LogRetention& limits,
                               Time now, const std::stop_token& stop) {
  std::vector<KeptPod> deleted;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(paths.pods(), none)) {
    if (stop.stop_requested()) return {};
    const std::string uid = entry.path().filename().string();
    struct stat what {};
    if (in_use.contains(uid)) {
      remove_old_runs(entry.path().string(), limits, now);
    } else if (::stat(entry.path().c_str(), &what) == 0) {
      // The folder changed last when the pod's volumes were removed from it.
      deleted.push_back(
          {.uid = uid, .deleted = modified_at(what), .bytes = measure_tree(entry.path().string(), stop).bytes});
    }
  }
  Found found{.pods = pods_to_remove(std::move(deleted), limits, now), .names = {}, .owners = {}};
  const std::set<std::string> going(found.pods.begin(), found.pods.end());
  found.names = outdated_names(paths, going);
  found.owners = outdated_records(paths, going);
  return found;
}

void LogShelf::find(const node::OwnerName& owner, UniqueFunction<void(node::PastPods)> done) {
  disk_.run([paths = paths_, owner](const std::stop_token&) { return remembered_pods(paths, owner); }, std::move(done));
}

void LogShelf::remove_old(IsInUse is_in_use) {
  if (std::exchange(is_looking_, true)) return;
  std::set<std::string> in_use;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(paths_.pods(), none)) {
    std::string uid = entry.path().filename().string();
    if (is_in_use(uid)) in_use.insert(std::move(uid));
  }
  disk_.run([paths = paths_, in_use = std::move(in_use), limits = limits_,
             now = loop_.now()](const std::stop_token& stop) { return look(paths, in_use, limits, now, stop); },
            [this, is_in_use = std::move(is_in_use)](const Found& found) {
              is_looking_ = false;
              remove(found, is_in_use);
            });
}

void LogShelf::remove(const Found& found, const IsInUse& is_in_use) {
  for (const std::string& uid : found.pods) {
    if (is_in_use(uid)) continue;
    if (const auto taken = trash_.take(paths_.pod(uid)); !taken)
      LOG_WARN("old log not removed", {"error", taken.error().message});
  }
  for (const std::string& path : found.names) {
    if (const auto forgotten = forget_gone_pods(paths_, path); !forgotten)
      LOG_WARN("old name not removed", {"error", forgotten.error().message});
  }
  for (const std::string& path : found.owners) {
    if (const auto forgotten = forget_gone_records(paths_, path); !forgotten)
      LOG_WARN("old pods of a job not forgotten", {"error", forgotten.error().message});
  }
}

}  // namespace muster::agent
