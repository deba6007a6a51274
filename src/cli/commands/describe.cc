// describe: shows an object in a form for people: its metadata, its state and the reasons for it, its spec, the events
// about it and, for a job, its replicas.
#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/job_history.h"
#include "cli/objects/describe_text.h"
#include "cli/objects/object_state.h"
#include "cli/objects/selection.h"
#include "cli/run/ran_job.h"
#include "jobs/pods.h"

namespace muster::cli {

namespace {

class Describe final : public Command {
 public:
  void add_flags(Flags& flags) override {
    selection_.add_flags(flags);
    flags.add("show-events", &show_events_, "include the events of the object");
    flags.add("earlier", &earlier_,
              "describe the Nth earlier job of this name, as --replace leaves them; 1 is the last");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (earlier_) return describe_earlier(session, words);
    selection_.let_kind_mean_all();  // as in kubectl
    auto selected = selection_.collect(session, words, "muster describe JOB   or: muster describe TYPE NAME");
    if (auto* failure = std::get_if<Failure>(&selected)) {
      if (words.size() == 1 && failure->code == kExitNotFound && words[0].find('/') == std::string::npos) {
        return deleted_job(session, words[0], job_kinds(), *failure);
      }
      return session.fail(*failure);
    }
    if (std::get<0>(selected).empty()) session.err("No resources found\n");
    int code = kExitOk;
    bool first = true;
    for (const Selected& one : std::get<0>(selected)) {
      auto object = session.get(one.object());
      if (!object) {
        const bool is_job = jobs::is_job_group(one.kind.resource.group);
        const int failed = is_job && object.error().reason == Reason::kNotFound
                               ? deleted_job(session, one.name, {one.kind}, failure_of(object.error()))
                               : session.fail(object.error());
        if (failed == kExitOk) continue;
        if (failed == kExitInterrupted || failed == kExitUnreachable) return failed;
        if (code == kExitOk) code = failed;
        continue;
      }
      if (!first) session.out("\n\n");
      first = false;
      session.out(text(session, one, *object));
    }
    return code;
  }

 private:
  int describe_earlier(Session& session, const std::vector<std::string>& words) const {
    if (words.size() != 1)
      return session.fail(usage_failure("--earlier: name one job", "muster describe --earlier 1 JOB"));
    const std::string name = words[0].substr(words[0].find('/') + 1);
    const auto found = earlier_job_named(session, name, job_kinds(), *earlier_);
    return found ? describe_past(session, *found) : session.fail(found.error());
  }

  static int describe_past(Session& session, const JobWithPods& job) {
    const Viewer viewer{.now = session.loop().now(), .width = session.terminal().width};
    session.out(describe_deleted_job(job.job.kind.kind, job.job.kind.api_version(), job.pods, viewer));
    session.err(jobs::history_note(job.pods, job.job.name));
    return kExitOk;
  }

  /// Shows what is kept of a deleted job; fails with `failure` when that is nothing.
  static int deleted_job(Session& session, const std::string& name, std::vector<ServedKind> kinds,
                         const Failure& failure) {
    const auto deleted = deleted_jobs_named(session, name, std::move(kinds));
    if (!deleted || deleted->empty()) return session.fail(failure);
    return describe_past(session, newest_of(*deleted));
  }

  std::string text(Session& session, const Selected& one, const json::Document& object) {
    const std::string& uid = object.string_at("metadata", "uid");
    const bool is_job = jobs::is_job_group(one.kind.resource.group);
    jobs::JobPods history;
    if (is_job) history = history_of(session, one, uid);
    const std::vector<jobs::JobPod> replicas = jobs::pods_of_attempt(history.pods);
    const std::vector<json::Document> pods = existing(replicas);
    const Viewer viewer{.now = session.loop().now(),
                        .width = session.terminal().width,
                        .notes = notes_about(session, object),
                        .told = head_message(object, waiting_cause(object, pods))};
    std::string out = describe_head(object, viewer);
    if (is_job) out += describe_replicas(replicas, one.name, viewer);
    session.err(jobs::history_note(history, one.name));
    if (one.kind.kind == "Pod") out += describe_containers(object, viewer);
    out += describe_body(object, one.kind.kind);
    if (show_events_) out += describe_events(events_of(session, one, uid), viewer);
    return out;
  }

  static std::vector<std::string> notes_about(Session& session, const json::Document& object) {
    constexpr std::string_view kNote = "note: ";
    std::vector<std::string> out = hints_about_job(session, object);
    for (std::string& hint : out) {
      if (hint.starts_with(kNote)) hint.erase(0, kNote.size());
    }
    return out;
  }

  static jobs::JobPods history_of(Session& session, const Selected& one, const std::string& uid) {
    auto history = history_of_job(session, one, uid);
    if (history) return *std::move(history);
    session.err(cannot_list("pods", history.error()));
    return {};
  }

  static std::vector<json::Document> existing(const std::vector<jobs::JobPod>& pods) {
    std::vector<json::Document> out;
    for (const jobs::JobPod& one : pods) {
      if (one.exists) out.push_back(one.pod);
    }
    return out;
  }

  static std::vector<json::Document> events_of(Session& session, const Selected& one, const std::string& uid) {
    client::ListOptions options;
    options.field_selector = fmt::format("involvedObject.name={},involvedObject.uid={}", one.name, uid);
    // Events about objects without a namespace are stored in "default".
    auto list = session.list({"", "v1", "events"}, one.ns.empty() ? "default" : one.ns, options);
    if (list) return list->array_at("items");
    session.err(cannot_list("events", list.error()));
    return {};
  }

  static std::string cannot_list(std::string_view what, const Error& error) {
    return fmt::format("warning: cannot list {}: {}\n", what, error.message);
  }

  Selection selection_;
  std::optional<std::int64_t> earlier_;
  bool show_events_ = true;
};

}  // namespace

std::unique_ptr<Command> make_describe() {
  return std::make_unique<Describe>();
}

}  // namespace muster::cli
