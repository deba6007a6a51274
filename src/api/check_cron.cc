// Rules for Cron: the schedule comes at some time in a zone that exists, and the job would be accepted by itself.
#include <fmt/core.h>

#include <algorithm>

#include "api/kubedl/cron_schedule.h"
#include "api/resource_table.h"
#include "api/rules/findings.h"
#include "base/strings.h"
#include "reflect/causes.h"
#include "reflect/reflect.h"

namespace muster::api {

namespace {

constexpr const char* kWorkload = "spec.template.workload";

void check_schedule(const json::Document& cron, Findings& found) {
  const std::string& text = cron.string_at("spec", "schedule");
  const auto refuse = [&](std::string_view why) { found.invalid("spec.schedule", text, why); };
  if (const auto range = backward_range(text)) {
    return refuse(fmt::format("the range {} ends before it begins; write it as two", *range));
  }
  const auto schedule = parse_cron_schedule(text);
  if (!schedule) return refuse("the time after @every is too long; write at most 2562047h");
  const auto zone = find_time_zone(schedule->time_zone);
  if (!zone) return refuse(zone.error().message);
  if (!next_cron_time(*schedule, TimeZone(), {}, {})) {
    refuse("this day does not exist in any year; write another day or month");
  }
}

/// Returns the kind of the template; null if it is not a job kind.
const Resource* kind_of_jobs(const json::Document& cron) {
  const Resource* kind =
      find_kind(cron.string_at("spec", "template", "apiVersion"), cron.string_at("spec", "template", "kind"));
  return kind == nullptr || kind->pod_label.empty() ? nullptr : kind;
}

/// Returns a job as the controller makes them, with a name as long as theirs.
json::Document job_of(const json::Document& cron) {
  const json::Document* workload = cron.at("spec", "template", "workload");
  json::Document job = workload != nullptr && workload->is_object() ? *workload : json::Document(json::Object{});
  job["apiVersion"] = cron.string_at("spec", "template", "apiVersion");
  job["kind"] = cron.string_at("spec", "template", "kind");
  if (job.find("metadata") == nullptr || !job.find("metadata")->is_object()) job["metadata"] = json::Object{};
  job["metadata"]["name"] = cron_job_name(cron.string_at("metadata", "name"), TimeZone::Instant::max());
  return job;
}

void check_kind(const json::Document& cron, Findings& found) {
  std::vector<std::string> known;
  for (const Resource& resource : resources()) {
    if (!resource.pod_label.empty()) known.push_back(resource.api_version() + " " + resource.kind);
  }
  found.not_supported("spec.template",
                      fmt::format("{} {}", cron.string_at("spec", "template", "apiVersion"),
                                  cron.string_at("spec", "template", "kind")),
                      known);
}

}  // namespace

void check_cron(const json::Document& cron, Findings& found) {
  check_schedule(cron, found);
  const Resource* kind = kind_of_jobs(cron);
  if (kind == nullptr) return check_kind(cron, found);
  json::Document job = job_of(cron);
  reflect::apply_defaults(*kind->type, job);
  if (kind->set_defaults != nullptr) kind->set_defaults(job);
  std::vector<FieldCause> causes = reflect::validate(*kind->type, job);
  if (causes.empty()) causes = kind->check(job);
  for (FieldCause& cause : causes) {
    // The controller gives the jobs their names.
    if (cause.field != "metadata.name") cause.field = reflect::child_path(kWorkload, cause.field);
    found.add(std::move(cause));
  }
}

std::vector<std::string> warn_cron(const json::Document& cron) {
  const Resource* kind = kind_of_jobs(cron);
  if (kind == nullptr) return {};
  const json::Document job = job_of(cron);
  std::vector<std::string> warnings;
  for (const reflect::UnknownField& unknown : reflect::unknown_fields(*kind->type, job)) {
    const std::string hint =
        unknown.suggestion.empty() ? "" : fmt::format("; did you mean \"{}\"?", unknown.suggestion);
    warnings.push_back(fmt::format("unknown field \"{}.{}\"{}", kWorkload, unknown.path, hint));
  }
  if (kind->warn == nullptr) return warnings;
  for (const std::string& warning : kind->warn(job)) warnings.push_back(fmt::format("{}.{}", kWorkload, warning));
  return warnings;
}

}  // namespace muster::api
