// The table of served resources: names, scope, subresources, columns and the descriptor of each. Everything that lists
// kinds (routes, discovery, OpenAPI, CRDs, printers, completion) iterates over this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kubernetes/kubernetes_fields.h"
#include "api/print/printers.h"
#include "base/error.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::api {

/// A printer column as in a CRD; `json_path` has kubectl's syntax, without braces.
struct PrinterColumn {
  std::string name;
  std::string type;  // string, integer, date
  std::string json_path;
  std::string description;
  int priority = 0;  // above 0: shown only with -o wide
};

enum class Scope { kNamespaced, kCluster };

/// The paths that the scale subresource reads and writes, as in a CRD.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;
};

/// A field that the field selectors of lists and watches can use.
struct SelectableField {
  std::string name;
  std::string path = {};         // the path of its value; "" when that equals the name
  std::string second_path = {};  // the path to use when the first one has no value
  std::string when_absent = {};  // Go's zero value: an absent boolean compares as "false"
};

/// The required format of metadata.name.
enum class NameForm { kSubdomain, kLabel, kDns1035Label };
/// Whether metadata.generation is absent, is always 1, or counts changes to the desired state.
enum class Generation { kNone, kFirst, kCounted };
/// The component that serves requests for the resource.
enum class AnsweredBy { kStore, kReview, kMetrics };

class Findings;

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
  // Built into Kubernetes: a cluster already has it and it supports strategic merge patch. Other kinds need a CRD.
  bool built_in = false;
  AnsweredBy answered_by = AnsweredBy::kStore;
  bool is_confidential = false;     // error messages do not contain its values
  bool brings_status = false;       // a new object keeps the status it is sent with, as a kubelet's node does
  bool returned_by_delete = false;  // DELETE returns the object instead of a Status
  NameForm name_form = NameForm::kSubdomain;
  Generation generation = Generation::kNone;
  std::vector<SelectableField> selectable_fields = {{"metadata.name"}, {"metadata.namespace"}};
  // Whether objects are stored in this version of the kind. The kind's other versions serve the same objects.
  bool is_storage = true;
  std::optional<ScalePaths> scale;     // set when other_subresources has "scale"
  std::vector<PrinterColumn> columns;  // after NAME
  std::optional<Printer> printer;      // built-in kinds print their columns with code instead
  // The label whose value, on an object's pods, is the object's name; "" for kinds that create no pods.
  std::string pod_label;
  const reflect::TypeDesc* type = nullptr;
  // Sets defaults that depend on other fields, on every write before validation. Pure; null when there are none.
  void (*set_defaults)(json::Document& object) = nullptr;
  // Sets the initial status of a new object and other fields that only the server sets. Pure; may be null.
  void (*start)(json::Document& object) = nullptr;
  // Reports changes to immutable fields that the descriptor does not mark as such. Pure; null when there are none.
  void (*change_rules)(const json::Document& before, const json::Document& after, Findings& found) = nullptr;
  // Checks rules over several fields, which the descriptor cannot express. Pure; null when there are none.
  void (*rules)(const json::Document& object, Findings& found) = nullptr;
  // Returns warnings about valid but probably unintended values: "where: what; how to fix". Pure; may be null.
  std::vector<std::string> (*warn)(const json::Document& object) = nullptr;

  /// Returns what `rules` and `change_rules` report.
  std::vector<FieldCause> check(const json::Document& object) const;
  std::vector<FieldCause> check_change(const json::Document& before, const json::Document& after) const;

  std::string api_version() const;  // "v1", "kubeflow.org/v1"
  /// "pods", "pytorchjobs.kubeflow.org": a unique name, used as the key in the store and in error messages.
  std::string qualified_name() const;
  /// The fields of a built-in kind as Kubernetes publishes them; null for custom resources.
  const kubernetes::Message* message() const { return kubernetes::find_message(api_version(), kind); }
  /// Whether a cluster needs our CustomResourceDefinition, of which there is one for all versions of a kind.
  bool has_own_crd() const { return !built_in && is_storage; }
};

std::span<const Resource> resources();
/// Returns all versions of the same kind, in order of preference.
std::vector<const Resource*> versions_of(const Resource& resource);
const Resource& storage_version(const Resource& resource);
/// These return null when there is no such resource.
const Resource* find_resource(std::string_view group, std::string_view version, std::string_view plural);
const Resource* find_kind(std::string_view api_version, std::string_view kind);
/// Finds a resource as typed on a command line: plural, singular, short name or kind, with or without ".group".
const Resource* find_typed(std::string_view word);

/// Returns the CustomResourceDefinition that installs all versions of the resource on a cluster.
json::Document crd(const Resource& resource);

}  // namespace muster::api
