#include "cli/sweep/follow_sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/muster/sweep_names.h"
#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/job_watch.h"
#include "cli/output/table.h"
#include "cli/sweep/read_metrics.h"

namespace muster::cli {

namespace {

constexpr Duration kRefresh = std::chrono::seconds(1);       // of the table
constexpr Duration kReadAgain = std::chrono::seconds(3);     // the metrics of running jobs
constexpr Duration kLastMetrics = std::chrono::seconds(15);  // how long the end waits for them
constexpr std::size_t kMostRows = 20;                        // on a terminal that is redrawn

class Following {
 public:
  Following(Session& session, std::string name, SweepMetric metric)
      : session_(session),
        name_(std::move(name)),
        metric_(std::move(metric)),
        watch_(session, session.ns(), {.label_selector = selector_of_sweep(name_)}),
        metrics_(session, metric_) {}

  int run() {
    watch_.start();
    for (;;) {
      const MonoTime deadline = session_.loop().mono() + kRefresh;
      const auto news = [this] { return watch_.has_changes() || watch_.failure().has_value() || metrics_.has_news(); };
      if (session_.wait_until(news, deadline) == Session::Waited::kInterrupted) return tell_interrupted();
      if (watch_.failure()) return session_.fail(*watch_.failure());
      take_news();
      show_progress(false);
      if (watch_.listed() && have_all_ended()) return finish();
    }
  }

 private:
  struct Followed {
    Selected job;
    SweepRun run;
    bool is_told = false;
  };

  bool have_all_ended() const {
    return std::ranges::all_of(runs_, [](const auto& one) { return jobs::has_ended(one.second.run.state); });
  }

  void take_news() {
    for (const JobChange& change : watch_.take()) {
      const Selected& job = change.found.job;
      if (change.deleted) {
        runs_.erase(job.name);
        continue;
      }
      SweepRun run = run_of_job(change.found.object);
      const auto known = runs_.find(job.name);
      if (known != runs_.end()) run.metric = known->second.run.metric;
      const bool is_told = known != runs_.end() && known->second.is_told;
      const bool has_ended = jobs::has_ended(run.state);
      runs_.insert_or_assign(job.name, Followed{job, std::move(run), is_told});
      // The last values may have been written since the last look.
      if (has_ended && last_read_.insert(job.name).second) metrics_.want(job);
    }
    if (session_.loop().mono() >= read_again_) {
      read_again_ = session_.loop().mono() + kReadAgain;
      for (const auto& [name, one] : runs_) {
        if (one.run.state == jobs::State::kRunning) metrics_.want(one.job);
      }
    }
    for (const auto& [name, value] : metrics_.take()) {
      const auto found = runs_.find(name);
      if (found != runs_.end()) found->second.run.metric = value;
    }
  }

  std::vector<SweepRun> runs() const {
    std::vector<SweepRun> all;
    for (const auto& [name, one] : runs_) all.push_back(one.run);
    std::ranges::stable_sort(all, {}, &SweepRun::number);
    return all;
  }

  /// Elsewhere than on a terminal a run is told once, so its last values are waited for unless `at_once`.
  void show_progress(bool at_once) {
    if (session_.terminal().out_is_terminal) return redraw(kMostRows);
    if (!at_once && !metrics_.is_idle()) return;
    for (auto& [name, one] : runs_) {
      if (!jobs::has_ended(one.run.state) || std::exchange(one.is_told, true)) continue;
      session_.out(end_text(one.run, metric_) + "\n");
    }
  }

  void redraw(std::size_t most) {
    const std::vector<SweepRun> all = runs();
    Columns columns({.width = session_.terminal().width, .whole = 1});
    std::string text = columns.lines(sweep_rows(all, metric_, session_.loop().now(), most));
    if (all.size() > most) text += fmt::format("… and {} more: muster sweep show {}\n", all.size() - most, name_);
    text += sweep_counts(all) + "\n";
    text = cut_lines(text);
    if (text == shown_) return;
    erase();
    session_.out(text);
    shown_ = std::move(text);
  }

  /// A line that the terminal breaks would be two, and the next table would not cover both.
  std::string cut_lines(const std::string& text) const {
    const std::size_t width = session_.terminal().width;
    if (width == 0) return text;
    std::vector<std::string> lines = split(text, '\n');
    for (std::string& line : lines) line = cut_to_width(line, width);
    return join(lines, "\n");
  }

  /// Goes back to the first line of what was shown, and clears from there.
  void erase() {
    const auto lines = std::ranges::count(shown_, '\n');
    if (lines > 0) session_.out_exact(fmt::format("\x1b[{}F\x1b[J", lines));
    shown_.clear();
  }

  int finish() {
    const MonoTime deadline = session_.loop().mono() + kLastMetrics;
    if (session_.wait_until([this] { return metrics_.is_idle(); }, deadline) == Session::Waited::kInterrupted) {
      return tell_interrupted();
    }
    take_news();
    if (session_.terminal().out_is_terminal) {
      redraw(kMostRows);
    } else {
      show_progress(true);
      session_.out(sweep_counts(runs()) + "\n");
    }
    if (const std::string best = best_text(runs(), metric_); !best.empty()) session_.out(best + "\n");
    session_.err(metrics_.problems());
    const bool is_good = !runs_.empty() && std::ranges::all_of(runs_, [](const auto& one) {
      return one.second.run.state == jobs::State::kSucceeded;
    });
    return is_good ? kExitOk : kExitFailed;
  }

  int tell_interrupted() const {
    session_.err(
        fmt::format("the sweep keeps running; muster sweep show {0} shows it, muster sweep stop {0} ends it\n", name_));
    return kExitInterrupted;
  }

  Session& session_;
  std::string name_;
  SweepMetric metric_;
  std::map<std::string, Followed> runs_;
  std::set<std::string> last_read_;  // ended jobs whose metric was asked for
  MonoTime read_again_{};
  std::string shown_;
  JobWatch watch_;
  MetricReader metrics_;
};

}  // namespace

std::string selector_of_sweep(const std::string& name) {
  return fmt::format("{}={}", api::kSweepLabel, name);
}

int follow_sweep(Session& session, const std::string& name, const SweepMetric& metric) {
  return Following(session, name, metric).run();
}

int show_sweep(Session& session, const std::string& name, const SweepMetric& metric) {
  const auto found = list_jobs(session, session.ns(), {.label_selector = selector_of_sweep(name)});
  if (!found) return session.fail(found.error());
  if (found->empty()) return session.fail(no_such_sweep(session, name));
  MetricReader metrics(session, metric);
  for (const FoundJob& one : *found) metrics.want(one.job);
  if (session.wait_until([&] { return metrics.is_idle(); }) == Session::Waited::kInterrupted) return kExitInterrupted;
  const auto values = metrics.take();
  std::vector<SweepRun> runs;
  for (const FoundJob& one : *found) {
    SweepRun run = run_of_job(one.object);
    if (const auto value = values.find(run.name); value != values.end()) run.metric = value->second;
    runs.push_back(std::move(run));
  }
  std::ranges::stable_sort(runs, {}, &SweepRun::number);
  Columns columns({.width = session.terminal().width, .whole = 1});
  session.out(columns.lines(sweep_rows(runs, metric, session.loop().now(), runs.size())));
  session.out(sweep_counts(runs) + "\n");
  if (const std::string best = best_text(runs, metric); !best.empty()) session.out(best + "\n");
  session.err(metrics.problems());
  return kExitOk;
}

Failure no_such_sweep(Session& session, const std::string& name) {
  Failure out{.code = kExitNotFound,
              .what = fmt::format("no sweep {} in namespace {}", quote(name), session.ns()),
              .fix = "muster sweep ls"};
  const auto all = list_jobs(session, session.ns(), {.label_selector = api::kSweepLabel});
  if (!all) return out;
  std::vector<std::string> names;
  for (const FoundJob& one : *all) names.push_back(one.object.string_at("metadata", "labels", api::kSweepLabel));
  if (const auto meant = did_you_mean(name, names)) out.what += fmt::format("; did you mean {}?", quote(*meant));
  return out;
}

}  // namespace muster::cli
