#include "arena/output/tables.h"

#include <fmt/core.h>

#include <algorithm>

#include "arena/output/aligned.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

constexpr const char* kNone = "N/A";

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

std::string or_none(const std::string& text) {
  return text.empty() ? kNone : text;
}

std::string span_text(Duration span) {
  return short_duration(std::chrono::duration_cast<std::chrono::seconds>(span).count());
}

std::string trainer(const Job& job) {
  return upper(job.type->name);
}

/// Classic tables show where a running job's chief is; modern ones also where it was.
std::string node_of(const Job& job, Layout layout) {
  const Instance* chief = job.chief();
  if (chief == nullptr || chief->phase == "Pending") return kNone;
  if (layout == Layout::kClassic && job.status != "RUNNING") return kNone;
  return or_none(chief->node_ip);
}

Row with_namespace(Row row, std::string ns, const Viewer& viewer) {
  if (viewer.with_namespace) row.insert(row.begin(), std::move(ns));
  return row;
}

}  // namespace

std::string list_text(const std::vector<Job>& jobs, const Viewer& viewer) {
  const bool classic = viewer.layout == Layout::kClassic;
  const Row header = classic ? Row{"NAME", "STATUS", "TRAINER", "AGE", "NODE"}
                             : Row{"NAME", "STATUS", "TRAINER", "DURATION", "GPU(Requested)", "GPU(Allocated)", "NODE"};
  std::vector<Row> rows{with_namespace(header, "NAMESPACE", viewer)};
  for (const Job& job : jobs) {
    Row row{job.name, job.status, trainer(job)};
    if (classic) {
      row.push_back(span_text(viewer.now - job.created));
    } else {
      row.push_back(span_text(job.duration(viewer.now)));
      row.push_back(std::to_string(job.requested_gpus));
      row.push_back(job.is_finished() ? kNone : std::to_string(job.allocated_gpus()));
    }
    row.push_back(node_of(job, viewer.layout));
    rows.push_back(with_namespace(std::move(row), job.ns, viewer));
  }
  return aligned(rows);
}

std::string top_jobs_text(std::vector<Job> jobs, const Viewer& viewer) {
  std::ranges::stable_sort(jobs, std::ranges::greater(), &Job::requested_gpus);
  const bool classic = viewer.layout == Layout::kClassic;
  const Row header = classic ? Row{"NAME", "GPU(Requests)", "GPU(Allocated)", "STATUS", "TRAINER", "AGE", "NODE"}
                             : Row{"NAME", "STATUS", "TRAINER", "AGE", "GPU(Requested)", "GPU(Allocated)", "NODE"};
  std::vector<Row> rows{with_namespace(header, "NAMESPACE", viewer)};
  std::int64_t requested = 0;
  std::int64_t allocated = 0;
  for (const Job& job : jobs) {
    const std::string wants = std::to_string(job.requested_gpus);
    const std::string has = std::to_string(job.allocated_gpus());
    const std::string node = node_of(job, viewer.layout);
    if (classic || job.status == "RUNNING") {
      requested += job.requested_gpus;
      allocated += job.allocated_gpus();
    }
    Row row =
        classic
            ? Row{job.name, wants, has, job.status, std::string(job.type->name), span_text(viewer.now - job.created),
                  node}
            : Row{job.name,     job.status,
                  trainer(job), span_text(job.duration(viewer.now)),
                  wants,        job.is_finished() ? kNone : has,
                  node};
    rows.push_back(with_namespace(std::move(row), job.ns, viewer));
  }
  if (!classic) {
    return aligned(rows) +
           fmt::format("\nTotal Allocated/Requested GPUs of Training Jobs: {}/{}\n", allocated, requested);
  }
  return aligned(rows) + fmt::format(
                             "\n\nTotal Allocated GPUs of Training Job:\n{}\n\n"
                             "Total Requested GPUs of Training Job:\n{}\n",
                             allocated, requested);
}

// ---- one job ----

namespace {

std::string classic_job_text(const Job& job, const Viewer& viewer) {
  std::vector<Row> rows{{"NAME", "STATUS", "TRAINER", "AGE", "INSTANCE", "NODE"}};
  for (const Instance& one : job.instances) {
    rows.push_back({job.name, upper(one.phase), trainer(job), span_text(viewer.now - one.created), one.name,
                    or_none(one.node_ip)});
  }
  return fmt::format("STATUS: {}\nNAMESPACE: {}\nPRIORITY: {}\nTRAINING DURATION: {}\n\n{}", job.status, job.ns,
                     job.priority, span_text(job.duration(viewer.now)), aligned(rows));
}

std::string head_text(const Job& job, const Viewer& viewer) {
  const bool over = job.is_finished() && job.ended;
  const std::vector<Row> head{{"Name:", job.name},
                              {"Status:", job.status},
                              {"Namespace:", job.ns},
                              {"Priority:", job.priority},
                              {"Trainer:", trainer(job)},
                              {"Duration:", span_text(job.duration(viewer.now))},
                              {"CreateTime:", viewer.local_time(job.created)},
                              {"EndTime:", over ? viewer.local_time(*job.ended) : ""}};
  return aligned(head);
}

/// A row of dashes as wide as each word of the header.
Row dashes_under(const Row& header) {
  Row out;
  for (const std::string& word : header) out.emplace_back(word.size(), '-');
  return out;
}

std::string modern_job_text(const Job& job, const Viewer& viewer) {
  const Row header{"NAME", "STATUS", "AGE", "IS_CHIEF", "GPU(Requested)", "NODE"};
  std::vector<Row> rows{header, dashes_under(header)};
  for (const Instance& one : job.instances) {
    rows.push_back({one.name, one.state, span_text(viewer.now - one.created), one.is_chief ? "true" : "false",
                    std::to_string(one.requested_gpus), one.phase == "Pending" ? kNone : or_none(one.node)});
  }
  return head_text(job, viewer) + "\nInstances:\n" + aligned(rows, "  ");
}

std::string gpus_text(const Job& job) {
  const Row header{"INSTANCE",     "NODE(IP)",       "GPU(Requested)",
                   "GPU(IndexId)", "GPU(DutyCycle)", "GPU Memory(Used/Total)"};
  std::vector<Row> rows{header, dashes_under(header)};
  for (const Instance& one : job.instances) {
    rows.push_back({one.name, or_none(one.node_ip), std::to_string(one.requested_gpus), kNone, kNone, kNone});
  }
  return "\nGPUs:\n" + aligned(rows, "  ") +
         fmt::format("\n  Allocated/Requested GPUs of Job: {}/{}\n", job.allocated_gpus(), job.requested_gpus);
}

std::string events_text(const JobDetails& details, const Viewer& viewer) {
  const Row header{"SOURCE", "TYPE", "AGE", "MESSAGE"};
  std::vector<Row> rows{header, dashes_under(header)};
  for (const EventRow& event : details.events) {
    rows.push_back({event.source, event.type, span_text(viewer.now - event.last), event.message});
  }
  return "\nEvents:\n" + aligned(rows);
}

}  // namespace

std::string job_text(const Job& job, const JobDetails& details, const Viewer& viewer) {
  const bool classic = viewer.layout == Layout::kClassic;
  std::string out = classic ? classic_job_text(job, viewer) : modern_job_text(job, viewer);
  if (details.with_gpus && job.status != "SUCCEEDED" && job.requested_gpus > 0) out += gpus_text(job);
  if (!details.tensorboard.empty()) {
    const std::string_view indent = classic ? "" : "  ";
    if (!classic) out += "\nTensorboard:";
    out += fmt::format("\n{0}Your tensorboard will be available on:\n{0}{1}\n", indent, details.tensorboard);
  }
  if (details.with_events) out += events_text(details, viewer);
  if (!details.explanation.empty()) out += "\n" + details.explanation + "\n";
  return out;
}

std::string top_job_text(const Job& job, const std::string& instance, const Viewer& viewer) {
  const Row header{
      "NAME", "STATUS", "GPU(Request)", "NODE", "GPU(DeviceIndex)", "GPU(DutyCycle)", "GPU_MEMORY(Used/Total)"};
  std::vector<Row> rows{header, dashes_under(header)};
  for (const Instance& one : job.instances) {
    if (!instance.empty() && one.name != instance) continue;
    rows.push_back(
        {one.name, one.state, std::to_string(one.requested_gpus), or_none(one.node_ip), kNone, kNone, kNone});
  }
  return head_text(job, viewer) + "\nInstances:\n" + aligned(rows, "  ") +
         fmt::format("\nGPUs:\n  Allocated/Requested GPUs of Job: {}/{}\n", job.allocated_gpus(), job.requested_gpus);
}

// ---- claims ----

std::string data_text(const json::Array& claims, const Viewer& viewer) {
  Row header{"NAME", "ACCESSMODE", "DESCRIPTION", "OWNER", "AGE"};
  if (viewer.with_namespace) header.insert(header.begin() + 1, "NAMESPACE");
  std::vector<Row> rows{header};
  for (const json::Document& claim : claims) {
    const bool leaves = claim.at("metadata", "deletionTimestamp") != nullptr;
    if (leaves || claim.string_at("status", "phase") != "Bound") continue;
    std::vector<std::string> modes;
    for (const char* mode : {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"}) {
      const json::Array& has = claim.array_at("spec", "accessModes");
      if (std::ranges::find(has, json::Document(mode)) != has.end()) modes.emplace_back(mode);
    }
    const Time created = parse_rfc3339(claim.string_at("metadata", "creationTimestamp")).value_or(Time{});
    Row row{claim.string_at("metadata", "name"), join(modes, ","),
            claim.string_at("metadata", "annotations", "description"),
            claim.string_at("metadata", "annotations", "owner"), span_text(viewer.now - created)};
    if (viewer.with_namespace) row.insert(row.begin() + 1, claim.string_at("metadata", "namespace"));
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

// ---- JSON ----

namespace {

std::string seconds_text(Duration span) {
  return fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(span).count());
}

std::int64_t unix_time(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// Appends the document as Go's json.MarshalIndent writes it.
void append_indented(const json::Document& value, std::size_t depth, std::string& out) {
  const auto line = [&out](std::size_t at) { out.append("\n").append(4 * at, ' '); };
  if (value.is_array() && !value.as_array().empty()) {
    out += '[';
    bool first = true;
    for (const json::Document& item : value.as_array()) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      append_indented(item, depth + 1, out);
    }
    line(depth);
    out += ']';
  } else if (value.is_object() && !value.as_object().empty()) {
    out += '{';
    bool first = true;
    for (const json::Member& member : value.as_object()) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      json::append_quoted(member.key, out);
      out += ": ";
      append_indented(member.value, depth + 1, out);
    }
    line(depth);
    out += '}';
  } else {
    json::append_serialized(value, out);
  }
}

}  // namespace

json::Document job_json(const Job& job, const std::string& tensorboard, Time now) {
  json::Array instances;
  for (const Instance& one : job.instances) {
    instances.push_back(json::Object{{"ip", one.ip},
                                     {"status", one.state},
                                     {"name", one.name},
                                     {"age", seconds_text(now - one.created)},
                                     {"node", one.node},
                                     {"nodeIP", one.node_ip},
                                     {"chief", one.is_chief},
                                     {"requestGPUs", one.requested_gpus},
                                     {"gpuMetrics", json::Object{}},
                                     {"creationTimestamp", unix_time(one.created)}});
  }
  const Instance* chief = job.chief();
  return json::Object{{"uuid", job.uid},
                      {"name", job.name},
                      {"namespace", job.ns},
                      {"duration", seconds_text(job.duration(now))},
                      {"status", job.status},
                      {"trainer", job.type->name},
                      {"tensorboard", tensorboard},
                      {"chiefName", chief == nullptr ? "" : chief->name},
                      {"instances", std::move(instances)},
                      {"priority", job.priority},
                      {"requestGPUs", job.requested_gpus},
                      {"allocatedGPUs", job.allocated_gpus()},
                      {"creationTimestamp", unix_time(job.created)},
                      {"modelName", ""},
                      {"modelVersion", ""},
                      {"modelSource", ""}};
}

std::string json_text(const json::Document& document) {
  std::string out;
  append_indented(document, 0, out);
  return out;
}

}  // namespace muster::arena
