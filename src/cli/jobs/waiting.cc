#include "cli/jobs/waiting.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "api/owners.h"
#include "cli/objects/object_state.h"
#include "client/live_list.h"
#include "jobs/pods.h"
#include "jobs/summary.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;

constexpr Duration kNotWorthALine = 1s;
constexpr int kMostJobsAsked = 10;

const client::ResourceName kPodResource{"", "v1", "pods"};

bool is_pod_kind(const ServedKind& kind) {
  return kind.kind == "Pod" && kind.resource.group.empty();
}

/// Returns the text of the row in the first of these columns that the table has; nullopt when it has none.
std::optional<std::string> cell_of(const json::Document& table, const json::Document& row,
                                   std::initializer_list<std::string_view> names) {
  const json::Array& definitions = table.array_at("columnDefinitions");
  const json::Array& cells = row.array_at("cells");
  for (std::size_t i = 0; i < std::min(definitions.size(), cells.size()); ++i) {
    if (std::ranges::find(names, definitions[i].string_at("name")) == names.end()) continue;
    return cells[i].is_string() ? cells[i].as_string() : "";
  }
  return std::nullopt;
}

bool row_waits(const json::Document& table, const json::Document& row) {
  const auto state = cell_of(table, row, {"Phase", "State", "Status"});
  return state && (state->empty() || *state == "Pending" || *state == "Created" || *state == "Restarting" ||
                   *state == "Resuming" || *state == "ContainerCreating");
}

/// Returns what the job's own condition says; nullopt under a CRD without such columns, such as Kubeflow's.
std::optional<std::string> told_in(const json::Document& table, const json::Document& row) {
  const auto reason = cell_of(table, row, {"Reason"});
  const auto message = cell_of(table, row, {"Message"});
  if (!reason || !message) return std::nullopt;
  return reason->empty() || *reason == "-" ? "" : *message;
}

using PodsByUid = std::map<std::string, std::vector<json::Document>>;

/// Returns the pending pods, both by their own uid and by the uid of their controller.
PodsByUid pending_pods(Session& session, const std::string& ns) {
  PodsByUid out;
  client::ListOptions options;
  options.field_selector = "status.phase=Pending";
  const auto list = session.list(kPodResource, ns, options);
  if (!list) return out;  // the reasons are optional: print the table without them
  for (const json::Document& pod : list->array_at("items")) {
    out[pod.string_at("metadata", "uid")].push_back(pod);
    if (const json::Document* owner = api::controller_of(pod)) out[owner->string_at("uid")].push_back(pod);
  }
  return out;
}

}  // namespace

RowNotes why_rows_wait(Session& session, const ServedKind& kind, const std::string& ns, const json::Document& table) {
  RowNotes out{.header = "REASON"};
  const bool is_job = jobs::is_job_group(kind.resource.group);
  const json::Array& rows = table.array_at("rows");
  const auto waits = [&](const json::Document& row) { return row_waits(table, row); };
  if ((!is_job && !is_pod_kind(kind)) || std::ranges::none_of(rows, waits)) return out;
  const auto pending = pending_pods(session, ns);
  const json::Document unknown{json::Object{{"kind", kind.kind}}};
  int asked = 0;
  for (const json::Document& row : rows) {
    std::string cause;
    const json::Document* metadata = row.at("object", "metadata");
    if (waits(row) && metadata != nullptr) {
      const auto pods = pending.find(metadata->string_at("uid"));
      const std::span<const json::Document> its_pods =
          pods == pending.end() ? std::span<const json::Document>() : pods->second;
      const auto told = is_job ? told_in(table, row) : std::nullopt;
      if (told) cause = *told;
      if (is_job && !told && asked++ < kMostJobsAsked) {
        const auto job = session.get({kind.resource, metadata->string_at("namespace"), metadata->string_at("name")});
        if (job) cause = waiting_cause(*job);
      }
      if (cause.empty() && !its_pods.empty()) {
        cause = is_job ? waiting_cause(unknown, its_pods) : pod_message(its_pods.front());
      }
    }
    out.texts.push_back(std::move(cause));
  }
  return out;
}

bool tells_why_rows_wait(const json::Document& table) {
  return std::ranges::any_of(table.array_at("columnDefinitions"),
                             [](const json::Document& column) { return column.string_at("name") == "Message"; });
}

std::vector<std::string> reasons_of(Session& session, const std::string& ns, const std::vector<FoundJob>& jobs) {
  const auto waits = [](const FoundJob& one) { return object_end(one.object) == ObjectEnd::kUnfinished; };
  PodsByUid pending;
  if (std::ranges::any_of(jobs, waits)) pending = pending_pods(session, ns);
  std::vector<std::string> out;
  for (const FoundJob& one : jobs) {
    const auto pods = pending.find(one.object.string_at("metadata", "uid"));
    const std::span<const json::Document> its_pods =
        pods == pending.end() ? std::span<const json::Document>() : pods->second;
    out.push_back(waits(one) ? waiting_cause(one.object, its_pods) : jobs::summarise(one.object).cause);
  }
  return out;
}

struct WaitingLine::State : std::enable_shared_from_this<WaitingLine::State> {
  State(Session& s, Selected w, Until u, Say t) : session(s), what(std::move(w)), until(u), tell(std::move(t)) {}

  Session& session;
  Selected what;
  Until until;
  Say tell;
  json::Document object;
  std::map<std::string, json::Document> pods;  // by name
  std::unique_ptr<client::LiveList> live;
  std::string said;
  bool about_to_say = false;

  void follow_pods() {
    client::LiveSink sink;
    // The state owns the list, so the callbacks never outlive the state and a plain pointer is safe.
    sink.on_list = [this](const json::Document& list) {
      pods.clear();
      for (const json::Document& pod : list.array_at("items")) pods[pod.string_at("metadata", "name")] = pod;
      changed();
    };
    sink.on_event = [this](const std::string& type, const json::Document& pod) {
      const std::string& name = pod.string_at("metadata", "name");
      if (type == "DELETED") {
        pods.erase(name);
      } else {
        pods[name] = pod;
      }
      changed();
    };
    sink.on_failed = [](const Error&) {};  // the waiting command has its own list and reports its failure
    live = std::make_unique<client::LiveList>(
        session.loop(), session.api(),
        client::LiveQuery{.resource = kPodResource,
                          .ns = what.ns,
                          .label_selector = jobs::pod_selector(what.kind.resource.group, what.name)},
        std::move(sink));
    live->start();
  }

  void changed() {
    if (about_to_say) return;
    about_to_say = true;
    session.loop().after(kNotWorthALine, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->say();
    });
  }

  void say() {
    about_to_say = false;
    const std::string now = state_text();
    if (now.empty() || now == said) return;
    said = now;
    tell(fmt::format("waiting for {}: {}\n", what.short_label(), now));
  }

  /// Returns "" when there is nothing to wait for or the object has no state.
  std::string state_text() const {
    if (object.find("status") == nullptr || object_end(object) != ObjectEnd::kUnfinished) return "";
    if (object.at("metadata", "deletionTimestamp") != nullptr) return "Terminating";
    const std::string phase = object_phase(object);
    if (until == Until::kStarted && phase == "Running") return "";
    std::vector<json::Document> all;
    for (const auto& [name, pod] : pods) {
      if (api::is_controlled_by(pod, object.string_at("metadata", "uid"))) all.push_back(pod);
    }
    const std::string cause = waiting_cause(object, all);
    return cause.empty() ? phase : phase + ", " + cause;
  }
};

WaitingLine::WaitingLine(Session& session, Selected what, Until until, Say say) {
  if (!say) say = [&session](std::string_view line) { session.err(line); };
  state_ = std::make_shared<State>(session, std::move(what), until, std::move(say));
  if (jobs::is_job_group(state_->what.kind.resource.group)) state_->follow_pods();
}

WaitingLine::~WaitingLine() = default;

std::string WaitingLine::state() const {
  return state_->state_text();
}

void WaitingLine::saw(const json::Document& object) {
  state_->object = object;
  state_->changed();
}

}  // namespace muster::cli
