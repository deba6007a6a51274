// The table of resources served: names, scope, subresources, columns and the descriptor of each. Everything that lists
// kinds (routes, discovery, OpenAPI, CRDs, printers, completion) walks this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/print/printers.h"
#include "base/error.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::api {

/// A printer column as in a CRD; `json_path` as kubectl writes it, without braces.
struct PrinterColumn {
  std::string name;
  std::string type;  // string, integer, date
  std::string json_path;
  std::string description;
  int priority = 0;  // above 0: only with -o wide
};

enum class Scope { kNamespaced, kCluster };

/// Where the scale subresource reads and writes, as in a CRD.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;
};

/// A field that lists and watches can select by.
struct SelectableField {
  std::string name;
  std::string path = {};         // where its value is; "" when that is its name
  std::string second_path = {};  // where it is when there is nothing at the first
  std::string when_absent = {};  // Go's zero values: an absent boolean compares as "false"
};

/// What metadata.name must be.
enum class NameForm { kSubdomain, kLabel, kDns1035Label };
/// Whether metadata.generation counts changes of what is wanted, is 1 for ever, or is not there.
enum class Generation { kNone, kFirst, kCounted };
/// Who answers requests for it.
enum class AnsweredBy { kStore, kReview, kMetrics };

struct Resource {
  std::string group;  // "" for core
  std::string version;
  std::string kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  Scope scope = Scope::kNamespaced;
  std::vector<std::string> verbs;
  bool has_status = false;                      // the status subresource
  std::vector<std::string> other_subresources;  // "log", "binding", "scale"
  // Built into Kubernetes, so a cluster has it already and strategic merge patch applies; otherwise we install a CRD.
  bool built_in = false;
  AnsweredBy answered_by = AnsweredBy::kStore;
  bool is_confidential = false;     // messages do not show its values
  bool brings_status = false;       // a new object has the status it comes with: a kubelet registers its node so
  bool returned_by_delete = false;  // DELETE answers with the object instead of a Status
  NameForm name_form = NameForm::kSubdomain;
  Generation generation = Generation::kNone;
  std::vector<SelectableField> selectable_fields = {{"metadata.name"}, {"metadata.namespace"}};
  // Of a kind with several versions, the one in which objects are stored. The others show the same objects.
  bool is_storage = true;
  std::optional<ScalePaths> scale;     // set when other_subresources has "scale"
  std::vector<PrinterColumn> columns;  // after NAME
  std::optional<Printer> printer;      // Kubernetes' own kinds print by code instead
  // The label of an object's pods that holds its name; "" for kinds that have no pods of their own.
  std::string pod_label;
  const reflect::TypeDesc* type = nullptr;
  // On every write before validation: defaults that depend on other fields. Pure; null when there are none.
  void (*set_defaults)(json::Document& object) = nullptr;
  // The status that a new object begins with, and what else only the server sets. Pure; null when that is nothing.
  void (*start)(json::Document& object) = nullptr;
  // What may not change, beyond what the descriptor says. Pure; null when everything else may.
  std::vector<FieldCause> (*check_change)(const json::Document& before, const json::Document& after) = nullptr;
  // Rules over several fields, beyond what the descriptor says. Pure; null when there are none.
  std::vector<FieldCause> (*check)(const json::Document& object) = nullptr;
  // What is accepted and yet hardly meant so: "where: what; what to do". Pure; null when there is nothing to say.
  std::vector<std::string> (*warn)(const json::Document& object) = nullptr;

  std::string api_version() const;  // "v1", "kubeflow.org/v1"
  /// "pods", "pytorchjobs.kubeflow.org": unique, the key of the store and of error messages.
  std::string qualified_name() const;
  /// A cluster needs our CustomResourceDefinition for it; one for all versions.
  bool has_own_crd() const { return !built_in && is_storage; }
};

std::span<const Resource> resources();
/// All versions of the same kind, in the order of preference.
std::vector<const Resource*> versions_of(const Resource& resource);
const Resource& storage_version(const Resource& resource);
/// Null pointers when there is none.
const Resource* find_resource(std::string_view group, std::string_view version, std::string_view plural);
const Resource* find_kind(std::string_view api_version, std::string_view kind);
/// As typed on a command line: plural, singular, short name or kind, each with or without ".group".
const Resource* find_typed(std::string_view word);

/// The CustomResourceDefinition that installs the resource on a cluster, in all its versions.
json::Document crd(const Resource& resource);

}  // namespace muster::api
