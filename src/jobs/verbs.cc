#include "jobs/verbs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/muster/names.h"
#include "api/muster/notify_names.h"
#include "base/check.h"
#include "base/strings.h"
#include "jobs/kind.h"
#include "jobs/summary.h"

namespace muster::jobs {

namespace {

using json::Document;

/// Returns the spelling of a switch that the object uses: the API refuses an object in which the two spellings differ.
const char* spelling_of_enabled(const Document* of) {
  const bool is_older = of != nullptr && of->find("enabled") == nullptr && of->find("enable") != nullptr;
  return is_older ? "enable" : "enabled";
}

bool is_on(const Document* of) {
  return of != nullptr && of->bool_at(spelling_of_enabled(of));
}

bool wants_pause(const JobKind& kind, const Document& object) {
  if (kind.family == JobFamily::kKubeflow) return object.bool_at("spec", "runPolicy", "suspend");
  return is_on(object.at("spec", "runMode", "pause"));
}

Document pause_patch(const JobKind& kind, const Document& object, bool paused) {
  if (kind.family == JobFamily::kKubeflow) {
    return json::Object{{"spec", json::Object{{"runPolicy", json::Object{{"suspend", paused}}}}}};
  }
  const char* enabled = spelling_of_enabled(object.at("spec", "runMode", "pause"));
  const Document pause = json::Object{{enabled, paused}};
  return json::Object{{"spec", json::Object{{"runMode", json::Object{{"pause", pause}}}}}};
}

Refusal already_ended(const char* verb, const Document& object) {
  const Summary summary = summarise(object);
  const std::string& name = object.string_at("metadata", "name");
  return {.what = fmt::format("cannot {} {}: the job has ended ({})", verb, name, state_word(summary.phase)),
          .why = summary.outcome,
          .fix = fmt::format("muster rerun {}", name)};
}

const char* word_of(Verb verb) {
  switch (verb) {
    case Verb::kPause:
      return "pause";
    case Verb::kResume:
      return "resume";
    case Verb::kStop:
      return "stop";
    case Verb::kScale:
      return "scale";
  }
  return "";
}

VerbResult plan_pause(const JobKind& kind, const Document& object, bool pause) {
  if (has_ended(phase_of(object))) return already_ended(pause ? "pause" : "resume", object);
  if (wants_pause(kind, object) == pause) {
    return VerbPlan{.patch = {}, .outcome = pause ? "is already paused" : "is not paused"};
  }
  return VerbPlan{.patch = JobPatch{.body = pause_patch(kind, object, pause)}, .outcome = pause ? "paused" : "resumed"};
}

VerbResult plan_stop(const Document& object) {
  if (const State phase = phase_of(object); has_ended(phase)) {
    return VerbPlan{.patch = {}, .outcome = fmt::format("has already ended ({})", state_word(phase))};
  }
  const Document annotations = json::Object{{api::kStopAnnotation, "true"}};
  return VerbPlan{.patch = JobPatch{.body = json::Object{{"metadata", json::Object{{"annotations", annotations}}}}},
                  .outcome = "is being stopped"};
}

/// Returns the field for elastic jobs of this kind; null if the kind has none.
const char* elastic_field(const Document& object) {
  if (object.string_at("kind") == "PyTorchTrainingJob") return "spec.elastic";
  return object.string_at("kind") == "PyTorchJob" ? "spec.elasticPolicy" : nullptr;
}

VerbResult plan_scale(const JobKind& kind, const Document& object, std::int64_t replicas) {
  if (has_ended(phase_of(object))) return already_ended("scale", object);
  const std::string& name = object.string_at("metadata", "name");
  std::string outcome = fmt::format("scaled to {}", replicas);
  if (kind.family == JobFamily::kTensorStack && is_on(object.at("spec", "elastic"))) {
    const Document elastic = json::Object{{"expectedReplicas", replicas}};
    return VerbPlan{.patch = JobPatch{.body = json::Object{{"spec", json::Object{{"elastic", elastic}}}}},
                    .outcome = std::move(outcome)};
  }
  if (object.at("spec", "elasticPolicy") != nullptr) {
    // As in Kubeflow, the subresource accepts a number outside this range.
    const auto range = summarise(object).elastic;
    if (range && (replicas < range->least || replicas > range->most)) {
      return Refusal{.what = fmt::format("cannot scale {} to {} replicas", name, replicas),
                     .why = fmt::format("spec.elasticPolicy allows {} to {}", range->least, range->most),
                     .fix = "choose a number in this range, or change minReplicas and maxReplicas first"};
    }
    return VerbPlan{
        .patch = JobPatch{.subresource = "scale", .body = json::Object{{"spec", json::Object{{"replicas", replicas}}}}},
        .outcome = std::move(outcome)};
  }
  std::string fix = "change the replicas in its manifest and create the job again";
  if (const char* field = elastic_field(object); field != nullptr) {
    fix = fmt::format("write {} in its manifest, or {}", field, fix);
  }
  return Refusal{.what = fmt::format("cannot scale {}: the job is not elastic", name),
                 .why = "every rank knows the number of ranks from its start",
                 .fix = std::move(fix)};
}

/// Removes the member and then every parent that is empty without it.
void remove_pause(const JobKind& kind, Document& spec) {
  const auto [parent, member] =
      kind.family == JobFamily::kKubeflow ? std::pair("runPolicy", "suspend") : std::pair("runMode", "pause");
  Document* policy = spec.find(parent);
  if (policy == nullptr || !policy->is_object()) return;
  policy->as_object().erase(member);
  if (policy->as_object().empty()) spec.as_object().erase(parent);
}

json::Object written_annotations(const Document& object) {
  json::Object kept;
  const Document* written = object.at("metadata", "annotations");
  if (written == nullptr || !written->is_object()) return kept;
  for (const json::Member& one : written->as_object()) {
    if (one.key.starts_with("kubectl.kubernetes.io/") || one.key == api::kStopAnnotation) continue;
    if (one.key.starts_with(api::kNotifiedPrefix)) continue;
    kept.append(one.key, one.value);
  }
  return kept;
}

/// Kinds are not told apart: a Secret that is found in vain belongs to somebody else.
void find_secrets(const Document& value, std::set<std::string>& names) {
  if (value.is_array()) {
    for (const Document& item : value.as_array()) find_secrets(item, names);
  }
  if (!value.is_object()) return;
  for (const json::Member& member : value.as_object()) {
    if (member.key == "secretKeyRef" || member.key == "secretRef") names.insert(member.value.string_at("name"));
    if (member.key == "secretName" && member.value.is_string()) names.insert(member.value.as_string());
    find_secrets(member.value, names);
  }
}

}  // namespace

VerbResult plan_verb(Verb verb, const Document& object, std::int64_t replicas) {
  const JobKind* kind = kind_of_job(object);
  CHECK(kind != nullptr);
  if (state_of(object) == State::kDeleting) {
    return Refusal{.what = fmt::format("cannot {} {}: the job is being deleted", word_of(verb),
                                       object.string_at("metadata", "name"))};
  }
  switch (verb) {
    case Verb::kPause:
      return plan_pause(*kind, object, true);
    case Verb::kResume:
      return plan_pause(*kind, object, false);
    case Verb::kStop:
      return plan_stop(object);
    case Verb::kScale:
      return plan_scale(*kind, object, replicas);
  }
  return Refusal{};
}

Document fresh_copy(const Document& object, const std::string& name) {
  const JobKind* kind = kind_of_job(object);
  CHECK(kind != nullptr);
  json::Object metadata{{"name", name}};
  if (const Document* labels = object.at("metadata", "labels")) metadata.append("labels", *labels);
  if (json::Object kept = written_annotations(object); !kept.empty()) metadata.append("annotations", std::move(kept));
  json::Object copy{{"apiVersion", object.string_at("apiVersion")},
                    {"kind", object.string_at("kind")},
                    {"metadata", std::move(metadata)}};
  if (const Document* spec = object.find("spec"); spec != nullptr && spec->is_object()) {
    Document& own = copy.append("spec", *spec);
    if (wants_pause(*kind, object)) remove_pause(*kind, own);
  }
  return copy;
}

std::vector<std::string> secrets_named_in(const Document& object) {
  std::set<std::string> names;
  if (const Document* spec = object.find("spec")) find_secrets(*spec, names);
  for (const std::string& target : split(object.string_at("metadata", "annotations", api::kNotifyAnnotation), ',')) {
    constexpr std::string_view kSecret = "secret/";
    const std::string_view name = trim(target);
    if (name.starts_with(kSecret)) names.emplace(name.substr(kSecret.size()));
  }
  names.erase("");
  return {names.begin(), names.end()};
}

Document owner_reference(const Document& object) {
  return json::Object{{"apiVersion", object.string_at("apiVersion")},
                      {"kind", object.string_at("kind")},
                      {"name", object.string_at("metadata", "name")},
                      {"uid", object.string_at("metadata", "uid")}};
}

std::string next_name(const std::string& name) {
  // The names of pods add a role and a number, so that a name which is long already must not grow.
  constexpr std::size_t kMayGrowTo = 40;
  const std::size_t dash = name.rfind('-');
  const auto number = dash == std::string::npos ? std::nullopt : parse_int(name.substr(dash + 1));
  const bool is_numbered = number && *number >= 2 && *number < 100'000;
  const std::string end = fmt::format("-{}", is_numbered ? *number + 1 : 2);
  std::string stem = is_numbered ? name.substr(0, dash) : name;
  if (stem.size() + end.size() > std::max(name.size(), kMayGrowTo)) {
    stem.resize(std::max(name.size(), kMayGrowTo) - end.size());
    while (stem.ends_with('-') || stem.ends_with('.')) stem.pop_back();
  }
  return stem + end;
}

}  // namespace muster::jobs
