#include "notify/notices.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/notify_names.h"
#include "api/muster/sweep_names.h"
#include "base/strings.h"

namespace muster::notify {

namespace {

constexpr std::size_t kLongestCause = 500;

std::string annotation(const json::Document& annotations, const std::string& key) {
  return annotations.is_object() ? annotations.string_at(key) : "";
}

/// Returns the ids of what the target was told about this very job.
std::vector<std::string> told(const JobNews& job, const std::string& target) {
  std::vector<std::string> words = split(annotation(job.annotations, record_key(target)), ' ');
  if (words.front() != job.uid) return {};
  words.erase(words.begin());
  return words;
}

/// One line, and not all of a long stack.
std::string short_cause(const std::string& cause) {
  std::string line = cause;
  std::ranges::replace(line, '\n', ' ');
  if (line.size() <= kLongestCause) return line;
  line.resize(kLongestCause);
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) line.pop_back();
  if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xC0U) line.pop_back();
  return line + "…";
}

/// "mnist", or "lr-search-03 (lr=0.1 seed=3)" for a run of a sweep, with the namespace unless it is `default`.
std::string title_of(const JobNews& job) {
  std::string title = job.ns == "default" ? job.name : job.ns + "/" + job.name;
  return job.values.empty() ? title : fmt::format("{} ({})", title, job.values);
}

std::string with_cause(std::string text, const std::string& cause) {
  return cause.empty() ? text : fmt::format("{}: {}", text, short_cause(cause));
}

struct Candidate {
  Time when;
  Notice notice;
};

/// Returns " in 3m12s", or "" when the times are not known.
std::string span(const char* word, std::optional<Time> from, std::optional<Time> to) {
  return from && to && *to >= *from ? fmt::format(" {} {}", word, human_duration(*to - *from)) : "";
}

std::optional<Candidate> what_happened(const JobNews& job, Time now) {
  const jobs::Summary& is = job.summary;
  const std::string title = title_of(job);
  switch (is.phase) {
    case jobs::State::kSucceeded:
      return Candidate{is.ended.value_or(now),
                       {.occasion = Occasion::kSuccess,
                        .id = "success",
                        .text = fmt::format("{} succeeded{}", title, span("in", is.started, is.ended))}};
    case jobs::State::kFailed:
      return Candidate{
          is.ended.value_or(now),
          {.occasion = Occasion::kFailure,
           .id = "failure",
           .text = with_cause(fmt::format("{} failed{}", title, span("after", is.started, is.ended)), is.cause)}};
    case jobs::State::kRunning:
      if (is.stalled) {
        return Candidate{now,
                         {.occasion = Occasion::kStall,
                          .id = fmt::format("stall-{}", is.restarts),
                          .text = with_cause(title + " is stalled", is.cause)}};
      }
      if (is.started && *is.started - job.created >= kWaited) {
        return Candidate{*is.started,
                         {.occasion = Occasion::kStart,
                          .id = "start",
                          .text = fmt::format("{} started{}", title, span("after waiting", job.created, is.started))}};
      }
      return std::nullopt;
    default:  // a job that somebody stopped is news to nobody
      return std::nullopt;
  }
}

/// "lr=0.1 seed=3".
std::string values_text(const std::string& encoded) {
  const auto values = json::parse(encoded);
  if (!values || !values->is_object()) return "";
  std::vector<std::string> words;
  for (const json::Member& one : values->as_object()) {
    words.push_back(one.key + "=" + (one.value.is_string() ? one.value.as_string() : json::serialize(one.value)));
  }
  return join(words, " ");
}

}  // namespace

std::string_view word_of(Occasion occasion) {
  switch (occasion) {
    case Occasion::kStart:
      return "start";
    case Occasion::kStall:
      return "stall";
    case Occasion::kSuccess:
      return "success";
    case Occasion::kFailure:
      return "failure";
  }
  return "";
}

std::optional<Occasion> occasion_of(std::string_view word) {
  for (const Occasion occasion : kOccasions) {
    if (word_of(occasion) == word) return occasion;
  }
  return std::nullopt;
}

JobNews news_of(const json::Document& object) {
  JobNews job{.ns = object.string_at("metadata", "namespace"),
              .name = object.string_at("metadata", "name"),
              .kind = object.string_at("kind"),
              .uid = object.string_at("metadata", "uid"),
              .created = parse_rfc3339(object.string_at("metadata", "creationTimestamp")).value_or(Time::min()),
              .summary = jobs::summarise(object)};
  if (const json::Document* found = object.at("metadata", "annotations")) job.annotations = *found;
  job.sweep = object.string_at("metadata", "labels", api::kSweepLabel);
  job.values = values_text(annotation(job.annotations, api::kSweepValuesAnnotation));
  return job;
}

std::vector<std::string> named_targets(const json::Document& annotations) {
  std::vector<std::string> names;
  for (const std::string& word : split(annotation(annotations, api::kNotifyAnnotation), ',')) {
    std::string name(trim(word));
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

bool concerns_anybody(const json::Document& annotations, const std::vector<Target>& targets) {
  const bool names_some = !annotation(annotations, api::kNotifyAnnotation).empty();
  return names_some || std::ranges::any_of(targets, &Target::all_jobs);
}

std::optional<Notice> due_notice(const JobNews& job, const Target& target, Time now) {
  const std::vector<std::string> named = named_targets(job.annotations);
  const bool is_named = std::ranges::find(named, target.name) != named.end();
  if (!is_named && !target.all_jobs) return std::nullopt;
  const auto happened = what_happened(job, now);
  if (!happened || !target.on.contains(happened->notice.occasion)) return std::nullopt;
  if (now - happened->when > kNewsFor || (!is_named && happened->when < target.since)) return std::nullopt;
  const std::vector<std::string> before = told(job, target.name);
  for (const std::string& id : {happened->notice.id, given_up(happened->notice.id)}) {
    if (std::ranges::find(before, id) != before.end()) return std::nullopt;
  }
  return happened->notice;
}

std::string record_key(const std::string& target) {
  std::string name = target;
  std::ranges::replace(name, '/', '.');
  return api::kNotifiedPrefix + name;
}

std::string record_with(const JobNews& job, const std::string& target, const std::string& id) {
  std::vector<std::string> words = told(job, target);
  words.insert(words.begin(), job.uid);
  words.push_back(id);
  return join(words, " ");
}

std::string given_up(const std::string& id) {
  return id + "!";
}

}  // namespace muster::notify
