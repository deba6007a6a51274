#include "install/objects/decide.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/shortened.h"
#include "base/strings.h"
#include "install/objects/metadata.h"

namespace muster::install {

namespace {

constexpr std::size_t kLongestValue = 60;
constexpr std::size_t kMostFields = 8;

std::vector<std::string> missing_versions(const json::Document& wanted, const json::Document& live) {
  std::vector<std::string> missing;
  for (const json::Document& stored : live.array_at("status", "storedVersions")) {
    const bool served = std::ranges::any_of(wanted.array_at("spec", "versions"), [&](const json::Document& version) {
      return version.string_at("name") == stored.as_string();
    });
    if (!served) missing.push_back(stored.as_string());
  }
  return missing;
}

/// Says what the operator will do with the kind under a CRD that stays as it is.
std::string use_of_foreign(const json::Document& live, const Choices& choices) {
  const std::string name = live.string_at("metadata", "name");
  // The CRDs of TensorBoards and of the other kinds do not matter for what this one can store.
  const control::KindChoices kinds = control::choose_kinds({&live, 1}, choices.wishes);
  std::string use = "its jobs run";
  for (const control::ChosenKind& one : kinds.chosen) {
    if (!one.refusal.empty()) use = one.refusal;
  }
  for (const std::string& one : kinds.unusable) {
    if (one.find("serves") != std::string::npos) use = one;
  }
  return fmt::format("belongs to somebody else and stays as it is; {}; to replace it: muster install --adopt {}", use,
                     name);
}

Decision decide_crd(const json::Document& wanted, const json::Document& live, const Choices& choices) {
  const std::string name = wanted.string_at("metadata", "name");
  const bool adopted = std::ranges::find(choices.adopted, name) != choices.adopted.end();
  if (!is_ours(live) && !adopted) return {Step::kLeave, use_of_foreign(live, choices)};
  const std::vector<std::string> missing = missing_versions(wanted, live);
  if (missing.empty()) return {};
  return {Step::kRefuse,
          fmt::format("objects are stored in version {}, which this version of Muster does not serve; move them to "
                      "another version and remove it from status.storedVersions",
                      join(missing, ", "))};
}

std::string value_text(const json::Document* value) {
  return value == nullptr ? "none" : shortened(json::serialize(*value), kLongestValue);
}

void add_fields(const json::Document* before, const json::Document* after, const std::string& path,
                std::vector<std::string>& out) {
  const bool both = before != nullptr && after != nullptr;
  if (both && before->is_object() && after->is_object()) {
    const std::string start = path.empty() ? "" : path + ".";
    for (const json::Member& member : after->as_object()) {
      add_fields(before->find(member.key), &member.value, start + member.key, out);
    }
    for (const json::Member& member : before->as_object()) {
      if (after->find(member.key) == nullptr) add_fields(&member.value, nullptr, start + member.key, out);
    }
  } else if (both && before->is_array() && after->is_array() && before->as_array().size() == after->as_array().size()) {
    for (std::size_t i = 0; i < after->as_array().size(); ++i) {
      add_fields(&before->as_array()[i], &after->as_array()[i], fmt::format("{}[{}]", path, i), out);
    }
  } else if (!both || *before != *after) {
    out.push_back(fmt::format("{}: {} -> {}", path, value_text(before), value_text(after)));
  }
}

json::Document without_records(json::Document object) {
  object.as_object().erase("status");
  for (const char* key : {"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"}) {
    object["metadata"].as_object().erase(key);
  }
  return object;
}

}  // namespace

std::string keeper_of(const json::Document& live) {
  const std::string& release = live.string_at("metadata", "annotations", "meta.helm.sh/release-name");
  if (release.empty()) return "";
  return fmt::format("the Helm release {}/{}",
                     live.string_at("metadata", "annotations", "meta.helm.sh/release-namespace"), release);
}

Decision decide(const json::Document& wanted, const json::Document* live, const Choices& choices) {
  if (live == nullptr) return {};
  if (live->at("metadata", "deletionTimestamp") != nullptr) {
    return {Step::kRefuse, "is being deleted; try again when it is gone"};
  }
  if (const std::string keeper = keeper_of(*live); !keeper.empty() && is_ours(*live)) {
    return {Step::kRefuse, fmt::format("was installed by {}; change it there, with helm upgrade", keeper)};
  }
  const std::string& kind = wanted.string_at("kind");
  if (kind == "CustomResourceDefinition") return decide_crd(wanted, *live, choices);
  if (is_ours(*live)) return {};
  if (kind == "Namespace") return {Step::kLeave, "exists and keeps its labels"};
  return {Step::kRefuse, "exists and does not belong to Muster; rename or delete it"};
}

std::vector<std::string> changed_fields(const json::Document& before, const json::Document& after) {
  const json::Document old = without_records(before);
  const json::Document now = without_records(after);
  std::vector<std::string> fields;
  add_fields(&old, &now, "", fields);
  if (fields.size() > kMostFields) {
    const std::size_t more = fields.size() - kMostFields;
    fields.resize(kMostFields);
    fields.push_back(fmt::format("and {} more", more));
  }
  return fields;
}

}  // namespace muster::install
