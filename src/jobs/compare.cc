#include "jobs/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/strings.h"
#include "jobs/arguments.h"
#include "jobs/kind.h"
#include "jobs/summary.h"

namespace muster::jobs {

namespace {

using json::Document;

/// "-0.5" is a value, not a flag.
bool is_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 && word[1] != '.';
}

/// `--lr 0.1`, `--lr=0.1` and `-x` each become one trait; other words are counted.
void add_arguments(const std::string& prefix, const std::vector<std::string>& arguments, std::vector<Trait>& to) {
  int others = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!is_flag(word)) {
      to.push_back({fmt::format("{}argument {}", prefix, ++others), word});
      continue;
    }
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      to.push_back({prefix + word.substr(0, equals), word.substr(equals + 1)});
      continue;
    }
    const bool has_value = i + 1 < arguments.size() && !is_flag(arguments[i + 1]);
    to.push_back({prefix + word, has_value ? arguments[++i] : "set"});
  }
}

std::string value_of(const api::EnvVar& variable) {
  return variable.rest.find("valueFrom") == nullptr ? variable.value : "from a Secret or field";
}

std::string amount_text(std::string_view resource, const Quantity& amount) {
  return amount.text(resource == "memory" ? Quantity::Form::kBinary : Quantity::Form::kDecimal);
}

void add_container(const std::string& prefix, const api::Container& container, std::vector<Trait>& to) {
  std::vector<std::string> command = container.command;
  command.insert(command.end(), container.args.begin(), container.args.end());
  const std::size_t begin = begin_of_arguments(command).value_or(command.size());
  const auto middle = command.begin() + static_cast<std::ptrdiff_t>(begin);
  to.push_back({prefix + "command", join({command.begin(), middle}, " ")});
  add_arguments(prefix, {middle, command.end()}, to);
  for (const api::EnvVar& variable : container.env) to.push_back({prefix + "env " + variable.name, value_of(variable)});
  to.push_back({prefix + "image", container.image});
  for (const auto& [name, amount] : container.resources.requests)
    to.push_back({fmt::format("{}{} request", prefix, name), amount_text(name, amount)});
  for (const auto& [name, amount] : container.resources.limits)
    to.push_back({fmt::format("{}{} limit", prefix, name), amount_text(name, amount)});
}

void add_roles(const Job& job, std::vector<Trait>& to) {
  for (const Role& role : job.roles) {
    const std::string prefix = job.roles.size() > 1 ? role.type + ": " : "";
    to.push_back({prefix + "replicas", std::to_string(role.replicas)});
    if (const api::Container* container = training_container(job, role.pod_template.spec))
      add_container(prefix, *container, to);
  }
}

std::string duration_text(const Summary& summary, Time now) {
  return summary.started ? human_duration(summary.ended.value_or(now) - *summary.started) : "";
}

/// Accuracies grow, losses shrink: the name of a curve says which of the two is better.
bool grows(std::string_view tag) {
  const std::string lower = to_lower(tag);
  constexpr const char* kHigherIsBetter[] = {"acc", "f1",  "precision", "recall", "auc",        "bleu",   "rouge",
                                             "map", "iou", "reward",    "score",  "throughput", "per_sec"};
  return std::ranges::any_of(kHigherIsBetter, [&](const char* part) { return lower.find(part) != std::string::npos; });
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

struct Curve {
  std::string tag;
  std::optional<double> last = {};
  std::optional<double> best = {};
};

Curve curve_of(const Document& series) {
  Curve curve{.tag = series.string_at("tag")};
  const bool grow = grows(curve.tag);
  for (const Document& point : series.array_at("points")) {
    if (!point.is_array() || point.as_array().size() != 3) continue;
    const Document& value = point.as_array()[2];
    if (!value.is_number()) continue;
    const double number = value.as_double();
    curve.last = number;
    if (!curve.best || (grow ? number > *curve.best : number < *curve.best)) curve.best = number;
  }
  return curve;
}

/// The folder of a run, in its claim.
std::vector<std::string> steps_of(const Document& run) {
  std::vector<std::string> steps = split(run.string_at("folder") + "/" + run.string_at("name"), '/');
  std::erase_if(steps, [](const std::string& step) { return step.empty() || step == "."; });
  return steps;
}

/// Returns the folders of the runs, without what all of them have in common: "train" and "validation".
std::vector<std::string> names_of_runs(const json::Array& runs) {
  std::vector<std::vector<std::string>> paths;
  for (const Document& run : runs) paths.push_back(steps_of(run));
  std::size_t common = 0;
  const auto agree = [&] {
    return std::ranges::all_of(paths, [&](const std::vector<std::string>& path) {
      return path.size() > common && path[common] == paths.front()[common];
    });
  };
  while (!paths.empty() && agree()) ++common;
  std::vector<std::string> names;
  for (const auto& path : paths) {
    names.push_back(join({path.begin() + static_cast<std::ptrdiff_t>(common), path.end()}, "/"));
  }
  return names;
}

std::map<std::string, int> count_tags(const json::Array& runs) {
  std::map<std::string, int> counts;
  for (const Document& run : runs) {
    for (const Document& series : run.array_at("series")) ++counts[series.string_at("tag")];
  }
  return counts;
}

}  // namespace

std::vector<Trait> traits_of(const Document& job, Time now) {
  const JobKind* kind = kind_of_job(job);
  CHECK(kind != nullptr);
  const Summary summary = summarise(job);
  std::vector<Trait> out{{"kind", job.string_at("kind")},
                         {"state", std::string(state_word(summary.state))},
                         {"cause", summary.cause},
                         {"duration", duration_text(summary, now)},
                         {"restarts", std::to_string(summary.restarts)},
                         {"GPUs", std::to_string(summary.gpus)},
                         {"queue", summary.queue}};
  if (const auto normal = kind->normalise(job, Where::kEngine)) add_roles(*normal, out);
  std::erase_if(out, [](const Trait& one) { return one.value.empty(); });
  return out;
}

std::vector<Trait> metric_traits(const Document& scalars) {
  std::vector<Trait> out;
  const json::Array& runs = scalars.array_at("runs");
  const std::vector<std::string> names = names_of_runs(runs);
  const std::map<std::string, int> runs_with = count_tags(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const Document& series : runs[i].array_at("series")) {
      const Curve curve = curve_of(series);
      if (!curve.last) continue;
      // The folders of two runs of one script have different names, so the name is shown only where it is needed.
      const bool is_named = runs_with.at(curve.tag) > 1 && !names[i].empty();
      const std::string of_run = is_named ? fmt::format(" ({})", names[i]) : "";
      out.push_back({curve.tag + of_run + ", last", number_text(*curve.last)});
      out.push_back({curve.tag + of_run + (grows(curve.tag) ? ", highest" : ", lowest"), number_text(*curve.best)});
    }
  }
  return out;
}

bool ComparedTrait::differs() const {
  return std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
}

std::vector<ComparedTrait> compare(const std::vector<std::vector<Trait>>& jobs) {
  std::vector<ComparedTrait> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const Trait& trait : jobs[i]) {
      auto found = std::ranges::find(out, trait.name, &ComparedTrait::name);
      if (found == out.end()) {
        out.push_back({.name = trait.name, .values = std::vector<std::string>(jobs.size())});
        found = out.end() - 1;
      }
      std::string& value = found->values[i];
      value += value.empty() ? trait.value : ", " + trait.value;  // a flag that is given twice
    }
  }
  return out;
}

}  // namespace muster::jobs
