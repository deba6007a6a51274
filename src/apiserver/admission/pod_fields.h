// What becomes of each field of a pod on this engine: most work; some are refused, and some have no effect.
// docs/pods.md lists all of them, and a test compares it with this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/findings.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::apiserver {

struct PodFieldRule {
  enum class Verdict {
    kRefused,   // ignoring it would break what the user relies on
    kNoEffect,  // told by one warning
  };
  std::string_view type;  // the name of the Go type
  std::string_view field;
  Verdict verdict;
  /// Whether the rule is about this value of the field, in this object of the type.
  bool (*applies)(const json::Document& value, const json::Document& holder, const json::Document& spec);
  std::string_view why;
};

std::span<const PodFieldRule> pod_field_rules();

/// Reports every refused field of the spec of a pod, which need not be valid.
void check_pod_fields(const json::Document& spec, const reflect::Place& place, api::Findings& found);

/// A field without effect, and where it is first.
struct IdleField {
  const PodFieldRule* rule;
  std::string path;
};
/// Adds the fields of the spec that have no effect, each once.
void find_idle_fields(const json::Document& spec, const reflect::Place& place, std::vector<IdleField>& found);

}  // namespace muster::apiserver
