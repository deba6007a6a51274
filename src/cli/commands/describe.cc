// describe: shows an object in a form for people: its metadata, its state and the reasons for it, its spec, the events
// about it and, for a job, its replicas.
#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/job_pods.h"
#include "cli/objects/describe_text.h"
#include "cli/objects/object_state.h"
#include "cli/objects/selection.h"
#include "jobs/pods.h"

namespace muster::cli {

namespace {

class Describe final : public Command {
 public:
  void add_flags(Flags& flags) override {
    selection_.add_flags(flags);
    flags.add("show-events", &show_events_, "include the events of the object");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    // As with kubectl, a kind without a name means all objects of that kind.
    if (words.size() == 1 && words[0].find('/') == std::string::npos) selection_.take_all();
    auto selected = selection_.collect(session, words, "muster describe pj NAME");
    if (auto* failure = std::get_if<Failure>(&selected)) return session.fail(*failure);
    if (std::get<0>(selected).empty()) session.err("No resources found\n");
    int code = kExitOk;
    bool first = true;
    for (const Selected& one : std::get<0>(selected)) {
      auto object = session.get(one.object());
      if (!object) {
        const int failed = session.fail(object.error());
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
  std::string text(Session& session, const Selected& one, const json::Document& object) {
    const std::string& uid = object.string_at("metadata", "uid");
    const bool is_job = jobs::is_job_group(one.kind.resource.group);
    std::vector<json::Document> pods;
    if (is_job) pods = pods_of(session, one, uid);
    const Viewer viewer{.now = session.loop().now(),
                        .width = session.terminal().width,
                        .told = head_message(object, waiting_cause(object, pods))};
    std::string out = describe_head(object, viewer);
    if (is_job) out += describe_replicas(std::move(pods), one.name, viewer);
    if (one.kind.kind == "Pod") out += describe_containers(object, viewer);
    out += describe_body(object, one.kind.kind);
    if (show_events_) out += describe_events(events_of(session, one, uid), viewer);
    return out;
  }

  static std::vector<json::Document> pods_of(Session& session, const Selected& one, const std::string& uid) {
    auto pods = pods_of_job(session, one, uid);
    if (pods) return *std::move(pods);
    session.err(cannot_list("pods", pods.error()));
    return {};
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
  bool show_events_ = true;
};

}  // namespace

std::unique_ptr<Command> make_describe() {
  return std::make_unique<Describe>();
}

}  // namespace muster::cli
