// The table of resources served: names, scope, subresources, columns and the descriptor of each. Everything that lists
// kinds (routes, discovery, OpenAPI, CRDs, printers, completion) walks this table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  // Of a kind with several versions, the one in which objects are stored. The others show the same objects.
  bool is_storage = true;
  std::optional<ScalePaths> scale;     // set when other_subresources has "scale"
  std::vector<PrinterColumn> columns;  // after NAME; built-ins print by code instead
  // The label of an object's pods that holds its name; "" for kinds that have no pods of their own.
  std::string pod_label;
  const reflect::TypeDesc* type = nullptr;
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
