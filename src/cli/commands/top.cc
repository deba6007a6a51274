// top: what pods or nodes use now, from metrics.k8s.io, in kubectl's words; with --watch every two seconds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/quantity.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/past_use.h"
#include "cli/objects/object_state.h"
#include "cli/output/table.h"
#include "jobs/pods.h"
#include "jobs/summary.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;
using json::Document;

constexpr Duration kRefresh = 2s;
constexpr Duration kFirstMeasurement = 4s;  // a pod is measured every two seconds
constexpr Duration kLookAgain = 200ms;
constexpr const char* kUsageLine = "muster top [pods | nodes] [NAME]   or: muster top JOB";

struct Used {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;  // bytes

  void add(const Used& other) {
    milli_cpu += other.milli_cpu;
    memory += other.memory;
  }
};

struct UsedRow {
  std::vector<std::string> names;  // the cells before the numbers
  Used used;
  Used available = {};  // of a node; zero when unknown
};

Used used_in(const Document* amounts) {
  if (amounts == nullptr) return {};
  const auto amount = [&](const char* name) { return Quantity::parse(amounts->string_at(name)).value_or(Quantity()); };
  return {.milli_cpu = amount("cpu").milli_value(), .memory = amount("memory").value()};
}

std::string cpu_text(std::int64_t milli) {
  return fmt::format("{}m", milli);
}
std::string memory_text(std::int64_t bytes) {
  return fmt::format("{}Mi", bytes >> 20);
}
std::string percent_text(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "<unknown>" : fmt::format("{}%", part * 100 / whole);
}

class Top final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("all-namespaces", &all_namespaces_, "pods of all namespaces", 'A');
    flags.add("containers", &containers_, "print a line for each container");
    flags.add("selector", &selector_, "labels: a=b, a!=b, a in (b,c), a", 'l');
    flags.add("field-selector", &field_selector_, "fields, such as metadata.name=p");
    flags.add("sort-by", &sort_by_, "sort by cpu or memory, highest first");
    flags.set_choices("sort-by", {"cpu", "memory"});
    flags.add("sum", &sum_, "add a line with the sum of all pods");
    flags.add("no-headers", &no_headers_, "omit the line with the column names");
    flags.add("watch", &watch_, "refresh every two seconds until Ctrl-C", 'w');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    const std::string what = words.empty() ? "pods" : words[0];
    const bool of_nodes = what == "nodes" || what == "node" || what == "no";
    const bool of_pods = what == "pods" || what == "pod" || what == "po";
    const bool is_name = !of_nodes && !of_pods;
    if (what == "jobs" || (is_name && words.size() > 1)) {
      return session.fail(usage_failure(fmt::format("must be pods or nodes, got {}", quote(what)), kUsageLine));
    }
    if (!sort_by_.empty() && sort_by_ != "cpu" && sort_by_ != "memory") {
      return session.fail(usage_failure(fmt::format("--sort-by: must be cpu or memory, got {}", quote(sort_by_))));
    }
    std::string name = is_name ? what : words.size() > 1 ? words[1] : "";
    if (!name.empty() && (!selector_.empty() || all_namespaces_)) {
      return session.fail(usage_failure("a name cannot be combined with -A or -l"));
    }
    if (!name.empty() && !of_nodes) {
      if (const auto failure = choose_pods(session, name)) return session.fail(*failure);
      if (past_) return show_past(session);
    }
    const MonoTime first_by = session.loop().mono() + kFirstMeasurement;
    for (;;) {
      const auto rows = of_nodes ? node_rows(session, name) : pod_rows(session, name);
      if (session.interrupted()) return kExitInterrupted;
      if (!rows) return session.fail(rows.error());
      if (rows->empty() && !running_job_.empty() && session.loop().mono() < first_by) {
        if (session.wait_until([] { return false; }, session.loop().mono() + kLookAgain) ==
            Session::Waited::kInterrupted) {
          return kExitInterrupted;
        }
        continue;
      }
      show(session, *rows, of_nodes);
      if (!watch_) return kExitOk;
      const auto waited = session.wait_until([] { return false; }, session.loop().mono() + kRefresh);
      if (waited == Session::Waited::kInterrupted) return kExitInterrupted;
    }
  }

 private:
  /// A name that no pod has may be a job's: then the pods of the job are selected instead.
  std::optional<Failure> choose_pods(Session& session, std::string& name) {
    if (name.find('/') == std::string::npos) {
      const auto pod = session.get({{"", "v1", "pods"}, session.ns(), name});
      if (pod) return std::nullopt;
      if (pod.error().reason != Reason::kNotFound) return failure_of(pod.error());
    } else if (name.starts_with("pod/")) {
      name = name.substr(name.find('/') + 1);
      return std::nullopt;
    }
    auto found = find_job(session, {name}, kUsageLine);
    if (auto* failure = std::get_if<Failure>(&found)) {
      const std::string job_name = name.substr(name.find('/') + 1);
      if (failure->code == kExitNotFound) {
        const auto deleted = deleted_jobs_named(session, job_name);
        if (deleted && !deleted->empty()) past_ = newest_of(*deleted);
      }
      if (past_) return std::nullopt;
      return std::move(*failure);
    }
    const FoundJob& of = std::get<FoundJob>(found);
    const Selected& job = of.job;
    if (jobs::has_ended(jobs::summarise(of.object).phase)) {
      auto pods = history_of_job(session, job, of.object.string_at("metadata", "uid"));
      if (!pods) return failure_of(pods.error());
      past_ = JobWithPods{job, *std::move(pods)};
      return std::nullopt;
    }
    running_job_ = fmt::format("{} ({})", job.label(), object_phase(of.object));
    selector_ = jobs::pod_selector(job.kind.resource.group, job.name);
    name.clear();
    return std::nullopt;
  }

  /// What the pods of a job used that has ended, whether or not they still exist.
  int show_past(Session& session) const {
    const auto used = past_use(session, past_->job, past_->pods);
    if (!used) return session.fail(used.error());
    session.err(jobs::history_note(past_->pods, past_->job.name));
    if (used->empty()) {
      session.err(
          fmt::format("{} has ended, and no measurements of it are kept: it ran for less than a few seconds, or a "
                      "limit (metrics.*) removed them\n",
                      past_->job.short_label()));
      return kExitOk;
    }
    session.err(fmt::format("{} has {}: what its replicas used\n", past_->job.short_label(),
                            past_->pods.exists ? "ended" : "been deleted"));
    std::vector<std::vector<std::string>> lines;
    if (!no_headers_) lines.push_back({"NAME", "CPU(mean)", "CPU(peak)", "MEMORY(mean)", "MEMORY(peak)"});
    const auto cpu = [](double cores) { return cpu_text(std::llround(cores * 1000)); };
    const auto memory = [](double bytes) { return memory_text(std::llround(bytes)); };
    for (const PastUse& one : *used) {
      lines.push_back(
          {one.replica, cpu(one.mean_cpu), cpu(one.peak_cpu), memory(one.mean_memory), memory(one.peak_memory)});
    }
    session.out(Columns().lines(lines));
    return kExitOk;
  }

  /// The objects of one name, or all that the selectors match.
  Result<json::Array> measured(Session& session, const char* plural, const std::string& ns, const std::string& name) {
    const client::ResourceName resource("metrics.k8s.io", "v1beta1", plural);
    if (!name.empty()) {
      TRY_ASSIGN(Document one, session.get({resource, ns, name}));
      return json::Array{std::move(one)};
    }
    client::ListOptions options;
    options.label_selector = selector_;
    options.field_selector = field_selector_;
    TRY_ASSIGN(const Document list, session.list(resource, ns, options));
    return list.array_at("items");
  }

  Result<std::vector<UsedRow>> pod_rows(Session& session, const std::string& name) {
    TRY_ASSIGN(const json::Array pods, measured(session, "pods", all_namespaces_ ? "" : session.ns(), name));
    std::vector<UsedRow> rows;
    for (const Document& pod : pods) {
      std::vector<std::string> names;
      if (all_namespaces_) names.push_back(pod.string_at("metadata", "namespace"));
      names.push_back(pod.string_at("metadata", "name"));
      UsedRow all{.names = names, .used = {}};
      for (const Document& container : pod.array_at("containers")) {
        const Used used = used_in(container.at("usage"));
        all.used.add(used);
        if (!containers_) continue;
        rows.push_back({.names = names, .used = used});
        rows.back().names.push_back(container.string_at("name"));
      }
      if (!containers_) rows.push_back(std::move(all));
    }
    return rows;
  }

  Result<std::vector<UsedRow>> node_rows(Session& session, const std::string& name) {
    TRY_ASSIGN(const json::Array nodes, measured(session, "nodes", "", name));
    std::vector<UsedRow> rows;
    for (const Document& node : nodes) {
      const std::string& node_name = node.string_at("metadata", "name");
      TRY_ASSIGN(const Document object, session.get({{"", "v1", "nodes"}, "", node_name}));
      rows.push_back({.names = {node_name},
                      .used = used_in(node.at("usage")),
                      .available = used_in(object.at("status", "allocatable"))});
    }
    return rows;
  }

  std::vector<std::string> header(bool of_nodes) const {
    if (of_nodes) return {"NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"};
    std::vector<std::string> cells;
    if (all_namespaces_) cells.emplace_back("NAMESPACE");
    if (containers_) cells.emplace_back("POD");
    cells.insert(cells.end(), {"NAME", "CPU(cores)", "MEMORY(bytes)"});
    return cells;
  }

  static std::vector<std::string> cells_of(const UsedRow& row, bool of_nodes) {
    std::vector<std::string> cells = row.names;
    cells.push_back(cpu_text(row.used.milli_cpu));
    if (of_nodes) cells.push_back(percent_text(row.used.milli_cpu, row.available.milli_cpu));
    cells.push_back(memory_text(row.used.memory));
    if (of_nodes) cells.push_back(percent_text(row.used.memory, row.available.memory));
    return cells;
  }

  void sort(std::vector<UsedRow>& rows) const {
    if (sort_by_.empty()) return;
    const auto number = [this](const UsedRow& row) { return sort_by_ == "cpu" ? row.used.milli_cpu : row.used.memory; };
    std::ranges::stable_sort(rows, std::ranges::greater(), number);
  }

  /// As kubectl prints it: a rule, and the sum below.
  void add_sum(std::vector<std::vector<std::string>>& lines, const std::vector<UsedRow>& rows) const {
    Used all;
    for (const UsedRow& row : rows) all.add(row.used);
    const std::vector<std::string> blanks(header(false).size() - 2, "");
    for (const auto& [cpu, memory] : {std::pair<std::string, std::string>("________", "________"),
                                      {cpu_text(all.milli_cpu), memory_text(all.memory)}}) {
      std::vector<std::string> line = blanks;
      line.insert(line.end(), {cpu, memory});
      lines.push_back(std::move(line));
    }
  }

  void show(Session& session, std::vector<UsedRow> rows, bool of_nodes) const {
    // On a terminal the new numbers replace the old ones.
    if (watch_ && session.terminal().out_is_terminal) session.out_exact("\033[H\033[J");
    if (rows.empty() && !running_job_.empty()) {
      return session.err(fmt::format("nothing is measured yet of {}\n", running_job_));
    }
    if (rows.empty()) {
      session.err(all_namespaces_ || of_nodes ? "No resources found\n"
                                              : fmt::format("No resources found in {} namespace.\n", session.ns()));
      return;
    }
    sort(rows);
    std::vector<std::vector<std::string>> lines;
    if (!no_headers_) lines.push_back(header(of_nodes));
    for (const UsedRow& row : rows) lines.push_back(cells_of(row, of_nodes));
    if (sum_ && !of_nodes) add_sum(lines, rows);
    session.out(Columns().lines(lines));
  }

  std::optional<JobWithPods> past_;  // the job that was named, when it has ended
  std::string running_job_;          // the job that was named and has not ended, with its phase
  bool all_namespaces_ = false;
  bool containers_ = false;
  std::string selector_;
  std::string field_selector_;
  std::string sort_by_;
  bool sum_ = false;
  bool no_headers_ = false;
  bool watch_ = false;
};

}  // namespace

std::unique_ptr<Command> make_top() {
  return std::make_unique<Top>();
}

}  // namespace muster::cli
