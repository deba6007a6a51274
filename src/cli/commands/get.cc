// get: shows objects as a table made by the server, or as YAML, JSON, names or by JSONPath; with -w continuously.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/job_choice.h"
#include "cli/jobs/job_progress.h"
#include "cli/jobs/job_table.h"
#include "cli/jobs/job_watch.h"
#include "cli/jobs/waiting.h"
#include "cli/objects/selection.h"
#include "cli/objects/write_objects.h"
#include "cli/output/output.h"
#include "cli/output/sort_objects.h"
#include "cli/output/table.h"
#include "client/live_list.h"
#include "jobs/differing_arguments.h"

namespace muster::cli {

namespace {

/// A query for objects of one kind in one namespace: one object by name, or all that match the selectors.
struct Query {
  ServedKind kind;
  std::string ns;
  std::string name;
};

class Get final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("output", &output_text_, "output format: wide, yaml, json, name, jsonpath=…, custom-columns=NAME:PATH,…",
              'o');
    flags.set_choices("output", {"wide", "yaml", "json", "name", "jsonpath=", "custom-columns="});
    flags.add("watch", &watch_, "after listing, print every change", 'w');
    flags.add("watch-only", &watch_only_, "print changes only");
    flags.add("all-namespaces", &all_namespaces_, "list objects of all namespaces", 'A');
    flags.add("selector", &selector_, "labels: a=b, a!=b, a in (b,c), a", 'l');
    flags.add("field-selector", &field_selector_, "fields, such as status.phase=Running");
    flags.add("filename", &files_, "objects named in these files", 'f');
    flags.add("recursive", &recursive_, "include sub-folders of -f", 'R');
    flags.add("sort-by", &sort_by_,
              "field to sort by, such as .metadata.name; of jobs also name, phase, age, duration, loss");
    flags.add("phase", &phases_, "jobs: only those in one of these phases, such as Running,Stalled");
    flags.add("since", &since_, "jobs: only those created within this time, such as 2h");
    flags.add("count", &count_, "jobs: print how many are in each phase");
    flags.add("label-columns", &label_columns_, "add a column for each of these labels", 'L');
    flags.add("show-labels", &show_labels_, "add a column with all labels");
    flags.add("show-kind", &show_kind_, "print the kind in front of each name");
    flags.add("no-headers", &no_headers_, "omit the line with the column names");
    flags.add("show-managed-fields", &show_managed_fields_, "show who wrote which field, in yaml and json");
    flags.add("ignore-not-found", &ignore_not_found_, "exit with 0 if the object does not exist");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    auto output = Output::parse(output_text_);
    if (!output) return session.fail(output.error());
    output_ = *std::move(output);
    if (show_managed_fields_) output_.show_managed_fields();
    if (no_headers_) output_.hide_headers();
    if (!sort_by_.empty()) {
      if (watch_ || watch_only_) return session.fail(usage_failure("--sort-by cannot be combined with -w"));
    }
    if (const auto names = names_of_jobs(session, words); names && files_.empty() && output_.is_table()) {
      for (const std::string& name : *names) {
        if (const Status checked = check_name(name); !checked) return session.fail(checked.error());
      }
      if (show_labels_ || show_kind_ || !label_columns_.empty()) {
        return session.fail(usage_failure("--show-labels, --show-kind and -L need a kind of job",
                                          "muster get pytorchjobs --show-labels"));
      }
      if (!names->empty() && (all_namespaces_ || !selector_.empty() || !field_selector_.empty())) {
        return session.fail(name_and_selector());
      }
      const auto chosen = JobChoice::parse({.phases = phases_, .since = since_, .sort_by = sort_by_});
      if (!chosen) return session.fail(chosen.error());
      if (!watch_ && !watch_only_) return print_jobs(session, *names, *chosen);
      if (names->size() < 2) return watch_jobs(session, names->empty() ? "" : names->front(), *chosen);
    }
    if (!phases_.empty() || since_ || count_) {
      return session.fail(usage_failure("--phase, --since and --count are for jobs of all kinds, as a table",
                                        "muster get jobs --phase Running --since 2h"));
    }
    if (!sort_by_.empty()) {
      auto order = SortBy::parse(sort_by_);
      if (!order) return session.fail(order.error());
      order_ = *std::move(order);
    }
    auto queries = collect(session, words);
    if (auto* failure = std::get_if<Failure>(&queries)) return session.fail(*failure);
    const std::vector<Query>& all = std::get<0>(queries);
    if (watch_ || watch_only_) return watch(session, all);
    return output_.is_table() ? print_tables(session, all) : print_objects(session, all);
  }

 private:
  std::variant<std::vector<Query>, Failure> collect(Session& session, const std::vector<std::string>& words) {
    std::vector<Query> out;
    if (!files_.empty()) {
      if (!words.empty()) return usage_failure("give either -f or a resource type, not both");
      auto placed = place_manifests(session, files_, recursive_);
      if (auto* failure = std::get_if<Failure>(&placed)) return std::move(*failure);
      for (Placed& one : std::get<0>(placed)) out.push_back({std::move(one.kind), one.ns, one.manifest.name()});
      return out;
    }
    if (words.empty()) return usage_failure("name a resource type", "muster get pods   or: muster get pj NAME -o yaml");
    auto wanted = Kinds(session).wanted(words);
    if (!wanted) return failure_of(wanted.error());
    for (Wanted& one : *wanted) {
      if (!one.name.empty() && (all_namespaces_ || !selector_.empty() || !field_selector_.empty())) {
        return name_and_selector();
      }
      const std::string ns = one.kind.namespaced && !all_namespaces_ ? session.ns() : "";
      out.push_back({std::move(one.kind), ns, std::move(one.name)});
    }
    return out;
  }

  /// Returns the names in `jobs NAME…` or `jobs/NAME…`, and none for `jobs`: these words are about jobs of all kinds.
  static std::optional<std::vector<std::string>> names_of_jobs(Session& session,
                                                               const std::vector<std::string>& words) {
    if (words.empty()) return std::nullopt;
    Kinds kinds(session);
    if (words[0].find('/') == std::string::npos) {
      if (!kinds.means_any_job(words[0])) return std::nullopt;
      return std::vector<std::string>(words.begin() + 1, words.end());
    }
    std::vector<std::string> names;
    for (const std::string& word : words) {
      const std::size_t slash = word.find('/');
      if (slash == std::string::npos || !kinds.means_any_job(word.substr(0, slash))) return std::nullopt;
      names.push_back(word.substr(slash + 1));
    }
    return names;
  }

  static Failure name_and_selector() {
    return usage_failure("a name cannot be combined with -A, -l or --field-selector");
  }

  client::ListOptions list_options(const std::string& name) const {
    client::ListOptions options;
    options.label_selector = selector_;
    options.field_selector = name.empty() ? field_selector_ : "metadata.name=" + name;
    return options;
  }

  TableOptions table_options(const Session& session, const Query& query, bool several) const {
    return {.wide = output_.form() == Output::Form::kWide,
            .headers = !no_headers_,
            .with_namespace = all_namespaces_ && query.kind.namespaced,
            .prefix = several || show_kind_ ? query.kind.label() + "/" : "",
            .label_columns = label_columns_,
            .with_labels = show_labels_,
            .width = session.terminal().width};
  }

  /// Returns the server's error for a missing object, for a name that a list did not contain.
  static Error not_found(const Query& query) {
    const client::ResourceName& r = query.kind.resource;
    return {.reason = Reason::kNotFound,
            .message = fmt::format("{} {} not found", r.group.empty() ? r.plural : r.plural + "." + r.group,
                                   quote(query.name))};
  }

  static bool has_rows(const json::Document& table) { return !table.array_at("rows").empty(); }

  int print_tables(Session& session, const std::vector<Query>& queries) {
    const auto& first = queries.front().kind.resource;
    const bool several = std::ranges::any_of(queries, [&](const Query& query) {
      return query.kind.resource.plural != first.plural || query.kind.resource.group != first.group;
    });
    int code = kExitOk;
    std::string text;
    std::string last_kind;
    std::optional<TablePrinter> printer;
    for (const Query& query : queries) {
      client::ListOptions options = list_options(query.name);
      options.as_table = true;
      options.full_rows = order_.has_value();
      auto table = session.list(query.kind.resource, query.ns, options);
      if (session.interrupted()) return kExitInterrupted;
      if (!table || (!has_rows(*table) && !query.name.empty())) {
        if (table && ignore_not_found_) continue;
        const int failed = session.fail(table ? not_found(query) : of_query(table.error()));
        if (failed == kExitUnreachable) return failed;
        if (code == kExitOk) code = failed;
        continue;
      }
      if (order_ && has_rows(*table)) {
        if (auto done = sort_objects((*table)["rows"].as_array(), *order_, "object"); !done)
          return session.fail(done.error());
      } else if (query.kind.kind == "Event" && has_rows(*table)) {
        sort_rows_by_write((*table)["rows"].as_array());
      }
      if (!printer || last_kind != query.kind.label()) {
        printer.emplace(table_options(session, query, several));
        last_kind = query.kind.label();
        if (!text.empty() && has_rows(*table)) text += "\n";
      }
      const bool is_told = output_.form() == Output::Form::kWide && tells_why_rows_wait(*table);
      text += printer->print(*table, is_told ? RowNotes{} : why_rows_wait(session, query.kind, query.ns, *table));
    }
    session.out(text);
    if (text.empty() && code == kExitOk && !ignore_not_found_) session.err(nothing_found(session, queries));
    return code;
  }

  /// One table of all kinds, which the server's tables by kind cannot be: their columns differ.
  int print_jobs(Session& session, const std::vector<std::string>& names, const JobChoice& choice) {
    const std::string ns = all_namespaces_ ? "" : session.ns();
    auto jobs = list_jobs(session, ns, list_options(names.size() == 1 ? names.front() : ""));
    if (!jobs) return session.fail(of_query(jobs.error()));
    const auto name_of = [](const FoundJob& one) -> const std::string& { return one.job.name; };
    if (!names.empty()) {
      std::erase_if(*jobs, [&](const FoundJob& one) { return std::ranges::find(names, name_of(one)) == names.end(); });
    }
    for (const std::string& name : names) {
      const bool is_missing = std::ranges::find(*jobs, name, name_of) == jobs->end();
      if (is_missing && !ignore_not_found_) return session.fail(no_such_job(session, name));
    }
    const Time now = session.loop().now();
    std::erase_if(*jobs, [&](const FoundJob& one) { return !choice.admits(one.object, now); });
    if (count_) {
      session.out(count_by_phase(*jobs) + "\n");
      return kExitOk;
    }
    if (jobs->empty()) {
      if (!ignore_not_found_) session.err(nothing_found(session, {}));
      return kExitOk;
    }
    std::vector<JobChange> all;
    for (FoundJob& one : *jobs) all.push_back({.found = std::move(one)});
    std::vector<JobRow> rows = rows_of(session, ns, std::move(all));
    if (const Status sorted = choice.sort(rows, now); !sorted) return session.fail(sorted.error());
    JobTable table(job_table_options(session, /*is_watch=*/false));
    session.out_exact(table.print(rows, now));
    return kExitOk;
  }

  JobTableOptions job_table_options(const Session& session, bool is_watch) const {
    return {.headers = !no_headers_,
            .with_namespace = all_namespaces_,
            .width = session.terminal().width,
            .wide = output_.form() == Output::Form::kWide,
            .color = session.terminal().color,
            .is_watch = is_watch};
  }

  static std::vector<JobRow> rows_of(Session& session, const std::string& ns, std::vector<JobChange> changes) {
    std::vector<FoundJob> jobs;
    std::vector<std::vector<std::string>> commands;
    for (const JobChange& one : changes) {
      jobs.push_back(one.found);
      commands.push_back(jobs::command_of(one.found.object));
    }
    std::vector<std::string> reasons = reasons_of(session, ns, jobs);
    std::vector<std::string> arguments = jobs::differing_arguments(commands);
    const auto progress = progress_of_jobs(session, ns);
    std::vector<JobRow> out;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const bool deleted = changes[i].deleted;
      const auto known = progress.find(changes[i].found.object.string_at("metadata", "uid"));
      out.push_back({.found = std::move(changes[i].found),
                     .reason = deleted ? "" : std::move(reasons[i]),
                     .deleted = deleted,
                     .progress = known == progress.end() ? jobs::Progress() : known->second,
                     .arguments = std::move(arguments[i])});
    }
    return out;
  }

  int watch_jobs(Session& session, const std::string& name, const JobChoice& choice) {
    const std::string ns = all_namespaces_ ? "" : session.ns();
    JobWatch jobs(session, ns, list_options(name));
    JobTable table(job_table_options(session, /*is_watch=*/true));
    bool listed = false;
    jobs.start();
    for (;;) {
      const auto has_news = [&] { return jobs.failure() || (jobs.listed() && (!listed || jobs.has_changes())); };
      if (session.wait_until(has_news) == Session::Waited::kInterrupted) return kExitInterrupted;
      if (jobs.failure()) return session.fail(of_query(*jobs.failure()));
      const Time now = session.loop().now();
      std::vector<JobChange> changes = jobs.take();
      const bool has_any = !changes.empty();
      std::erase_if(changes, [&](const JobChange& one) { return !choice.admits(one.found.object, now); });
      // The reasons need requests of their own, so they are asked for here and not in the watch's callbacks.
      const std::vector<JobRow> rows = rows_of(session, ns, std::move(changes));
      const bool first = !std::exchange(listed, true);
      if (first && !has_any && !name.empty()) return session.fail(no_such_job(session, name));
      if (!first || !watch_only_) session.out_exact(table.print(rows, now));
    }
  }

  std::string nothing_found(const Session& session, const std::vector<Query>& queries) const {
    const bool cluster_wide =
        !queries.empty() && std::ranges::none_of(queries, [](const Query& query) { return query.kind.namespaced; });
    const std::string namesakes = hint_at_namesakes(queries);
    if (all_namespaces_ || cluster_wide) return "No resources found\n" + namesakes;
    return fmt::format("No resources found in {} namespace.\n{}", session.ns(), namesakes);
  }

  /// A kind that others share its name with may not be the one that was meant.
  static std::string hint_at_namesakes(const std::vector<Query>& queries) {
    std::string hint;
    if (queries.size() != 1) return hint;
    const client::ResourceName& listed = queries.front().kind.resource;
    for (const ServedKind& kind : job_kinds()) {
      if (kind.resource.plural != listed.plural || kind.resource.group == listed.group) continue;
      hint += fmt::format("{0} of {1} were listed; for the others: muster get {0}.{2}\n", listed.plural, listed.group,
                          kind.resource.group);
    }
    return hint;
  }

  int print_objects(Session& session, const std::vector<Query>& queries) {
    json::Array objects;
    std::vector<std::string> labels;
    int code = kExitOk;
    for (const Query& query : queries) {
      auto found = query.name.empty() ? session.list(query.kind.resource, query.ns, list_options(query.name))
                                      : session.get({query.kind.resource, query.ns, query.name});
      if (!found) {
        if (found.error().reason == Reason::kNotFound && ignore_not_found_) continue;
        const int failed = session.fail(of_query(found.error()));
        if (code == kExitOk) code = failed;
        continue;
      }
      json::Document* items = found->find("items");
      if (!query.name.empty()) {
        objects.push_back(*std::move(found));
      } else if (items != nullptr && items->is_array()) {
        if (order_) {
          if (auto done = sort_objects(items->as_array(), *order_); !done) return session.fail(done.error());
        }
        for (const json::Document& item : items->as_array()) {
          objects.push_back(item);
          // The items of a list have no apiVersion and kind, but a file made from this output needs them.
          objects.back()["apiVersion"] = query.kind.api_version();
          objects.back()["kind"] = query.kind.kind;
        }
      }
      labels.resize(objects.size(), query.kind.label());
    }
    if (objects.empty() && code != kExitOk) return code;
    const bool one = queries.size() == 1 && !queries.front().name.empty();
    if (one && !objects.empty()) {
      output_.print(session, output_.object(objects.front(), labels.front()));
    } else if (!one) {
      output_.print(session, output_.list(objects, labels));
    }
    return code;
  }

  int watch(Session& session, const std::vector<Query>& queries) {
    if (queries.size() != 1)
      return session.fail(usage_failure("only one kind, or one object, can be watched at a time"));
    const Query& query = queries.front();
    const client::ListOptions options = list_options(query.name);
    TablePrinter printer(table_options(session, query, false));
    std::optional<Error> failure;
    bool listed = false;
    client::LiveSink sink;
    sink.on_list = [&](const json::Document& list) {
      if (!listed && watch_only_) {
        listed = true;
        return;
      }
      if (!listed && !query.name.empty() && list.array_at("items").empty() && !has_rows(list)) {
        failure = not_found(query);
        return;
      }
      listed = true;
      if (output_.is_table()) return session.out(printer.print(list));
      for (const json::Document& item : list.array_at("items")) print_one(session, query, item);
    };
    sink.on_event = [&](const std::string&, const json::Document& object) {
      output_.is_table() ? session.out(printer.print(object)) : print_one(session, query, object);
    };
    sink.on_failed = [&](const Error& error) { failure = error; };
    client::LiveList live(session.loop(), session.api(),
                          {.resource = query.kind.resource,
                           .ns = query.ns,
                           .label_selector = options.label_selector,
                           .field_selector = options.field_selector,
                           .as_table = output_.is_table()},
                          std::move(sink));
    live.start();
    if (session.wait_until([&] { return failure.has_value(); }) == Session::Waited::kInterrupted)
      return kExitInterrupted;
    return session.fail(of_query(*failure));
  }

  Error of_query(const Error& error) const { return about_selectors(error, selector_, field_selector_); }

  void print_one(Session& session, const Query& query, const json::Document& object) {
    if (output_.form() == Output::Form::kYaml) session.out_exact("---\n");
    std::string text = output_.object(object, query.kind.label());
    if (!text.ends_with('\n')) text += '\n';
    output_.print(session, text);
    output_.hide_headers();  // print the column names only once
  }

  std::string output_text_;
  bool watch_ = false;
  bool watch_only_ = false;
  bool all_namespaces_ = false;
  std::string selector_;
  std::string field_selector_;
  std::vector<std::string> files_;
  bool recursive_ = false;
  std::string sort_by_;
  std::string phases_;
  std::optional<Duration> since_;
  bool count_ = false;
  std::optional<SortBy> order_;
  std::vector<std::string> label_columns_;
  bool show_labels_ = false;
  bool show_kind_ = false;
  bool no_headers_ = false;
  bool show_managed_fields_ = false;
  bool ignore_not_found_ = false;
  Output output_;
};

}  // namespace

std::unique_ptr<Command> make_get() {
  return std::make_unique<Get>();
}

}  // namespace muster::cli
