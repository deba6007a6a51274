#include "cli/jobs/find_job.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/objects/object_state.h"
#include "jobs/pods.h"

namespace muster::cli {

namespace {

using Answers = std::vector<std::optional<Result<json::Document>>>;

/// Sends one request per kind, all at once: a cluster may be far away.
template <typename Send>
Result<Answers> ask_all(Session& session, std::size_t count, const Send& send) {
  // Shared, because answers may still arrive after an interrupt.
  const auto answers = std::make_shared<Answers>(count);
  for (std::size_t i = 0; i < count; ++i) {
    send(i, [answers, i](Result<json::Document> answer) { (*answers)[i] = std::move(answer); });
  }
  const auto complete = [&] { return std::ranges::all_of(*answers, [](const auto& one) { return one.has_value(); }); };
  if (session.wait_until(complete) == Session::Waited::kInterrupted) {
    return Error{.reason = Reason::kTimeout, .message = "interrupted"};
  }
  return *answers;
}

std::vector<std::string> names_of_all_jobs(Session& session) {
  std::vector<std::string> names;
  const auto jobs = list_jobs(session, session.ns(), {});
  if (!jobs) return names;
  for (const FoundJob& one : *jobs) names.push_back(one.job.name);
  return names;
}

/// Collects what `add` takes of each answer. Kinds that the server lacks are left out; kinds that are forbidden to this
/// user matter only if there is nothing else.
template <typename Add>
Result<std::vector<FoundJob>> collect(Answers answers, const Add& add) {
  std::vector<FoundJob> found;
  std::optional<Error> failure;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Result<json::Document>& answer = *answers[i];
    if (answer) {
      add(i, *std::move(answer), found);
    } else if (answer.error().reason != Reason::kNotFound) {
      failure = answer.error();
    }
  }
  if (found.empty() && failure) return *failure;
  return found;
}

std::variant<FoundJob, Failure> find_by_name(Session& session, const std::string& name) {
  auto found = jobs_named(session, name);
  if (!found) return failure_of(found.error());
  if (found->empty()) return no_such_job(session, name);
  if (found->size() > 1) return several_jobs(*found);
  return std::move(found->front());
}

}  // namespace

bool newest_first(const FoundJob& a, const FoundJob& b) {
  return a.object.string_at("metadata", "creationTimestamp") > b.object.string_at("metadata", "creationTimestamp");
}

Result<std::vector<FoundJob>> jobs_named(Session& session, const std::string& name) {
  const std::vector<ServedKind> kinds = job_kinds();
  TRY_ASSIGN(Answers answers, ask_all(session, kinds.size(), [&](std::size_t i, client::OnDocument done) {
               session.api().get({kinds[i].resource, session.ns(), name}, std::move(done));
             }));
  return collect(std::move(answers), [&](std::size_t i, json::Document object, std::vector<FoundJob>& found) {
    found.push_back({{kinds[i], session.ns(), name}, std::move(object)});
  });
}

Result<std::vector<FoundJob>> list_jobs(Session& session, const std::string& ns, const client::ListOptions& options) {
  const std::vector<ServedKind> kinds = job_kinds();
  TRY_ASSIGN(Answers answers, ask_all(session, kinds.size(), [&](std::size_t i, client::OnDocument done) {
               session.api().list(kinds[i].resource, ns, options, std::move(done));
             }));
  const auto add = [&](std::size_t i, const json::Document& list, std::vector<FoundJob>& found) {
    for (const json::Document& item : list.array_at("items")) {
      found.push_back({{kinds[i], item.string_at("metadata", "namespace"), item.string_at("metadata", "name")}, item});
    }
  };
  TRY_ASSIGN(std::vector<FoundJob> jobs, collect(std::move(answers), add));
  std::ranges::stable_sort(jobs, newest_first);
  return jobs;
}

Failure no_such_job(Session& session, const std::string& name) {
  Failure out{.code = kExitNotFound,
              .what = fmt::format("no job {} in namespace {}", quote(name), session.ns()),
              .why = "",
              .fix = "muster get jobs"};
  if (const auto meant = did_you_mean(name, names_of_all_jobs(session))) {
    out.what += fmt::format("; did you mean {}?", quote(*meant));
  }
  return out;
}

Failure several_jobs(const std::vector<FoundJob>& jobs) {
  std::vector<std::string> labels;
  for (const FoundJob& one : jobs) labels.push_back(one.job.short_label());
  return usage_failure(fmt::format("several jobs are named {}", quote(jobs.front().job.name)),
                       "name one of them: " + join(labels, ", "));
}

std::variant<FoundJob, Failure> find_job(Session& session, const std::vector<std::string>& words,
                                         const std::string& usage) {
  if (words.empty() || words.size() > 2) return usage_failure("name one job", usage);
  if (words.size() == 1 && words[0].find('/') == std::string::npos) return find_by_name(session, words[0]);
  auto wanted = Kinds(session).wanted(words);
  if (!wanted) return failure_of(wanted.error());
  if (wanted->size() != 1) return usage_failure("name one job", usage);
  const Wanted& one = wanted->front();
  if (!jobs::is_job_group(one.kind.resource.group)) {
    return usage_failure(fmt::format("a {} is not a job", one.kind.kind), usage);
  }
  Selected job{one.kind, session.ns(), one.name};
  auto object = session.get(job.object());
  if (!object) return failure_of(object.error());
  return FoundJob{std::move(job), *std::move(object)};
}

std::variant<std::vector<FoundJob>, Failure> find_jobs(Session& session, const std::vector<std::string>& words,
                                                       const std::string& usage) {
  if (words.empty()) return usage_failure("name one or more jobs", usage);
  const bool has_type = words.size() > 1 && words[0].find('/') == std::string::npos &&
                        (words[0] == "job" || words[0] == "jobs" || api::find_typed(words[0]) != nullptr);
  std::vector<FoundJob> jobs;
  for (std::size_t i = has_type ? 1 : 0; i < words.size(); ++i) {
    auto found = find_job(
        session, has_type ? std::vector<std::string>{words[0], words[i]} : std::vector<std::string>{words[i]}, usage);
    if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
    jobs.push_back(std::move(std::get<FoundJob>(found)));
  }
  return jobs;
}

}  // namespace muster::cli
