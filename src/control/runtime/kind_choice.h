// Which kinds the operator runs on a cluster: those that the cluster's CRDs serve and store, as far as its user wishes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::control {

/// kAuto: the operator stands back while another operator runs the kind.
enum class Wish { kAuto, kOn, kOff };
/// By qualified name ("pytorchjobs.kubeflow.org"); kAuto for those that are absent.
using Wishes = std::map<std::string, Wish>;

/// Reads the items of --kinds: NAME=auto|on|off, where NAME may be `all`; or only names, which turns all others off.
Result<Wishes> parse_wishes(const std::vector<std::string>& items);

/// Returns the kinds that an operator can run, in the version that is stored.
std::vector<const api::Resource*> operated_kinds();

struct ChosenKind {
  const api::Resource* resource = nullptr;  // in the version that the cluster serves
  Wish wish = Wish::kAuto;
  std::string refusal = {};  // why the operator refuses its objects; "" when it runs them
};
struct KindChoices {
  std::vector<ChosenKind> chosen;            // to be watched
  std::vector<const api::Resource*> served;  // those that objects may be created of, whoever runs them
  std::vector<std::string> absent;           // qualified names of the kinds without a CRD
  std::vector<std::string> unusable;         // why, in one sentence each, for other kinds that are wanted
  std::vector<std::string> namespaces = {};  // where they are run; all if empty

  bool runs_any() const;
};
/// Returns the kinds with a controller on a cluster: all but those of the scheduler, which is the cluster's own.
std::vector<const api::Resource*> operated_kinds();
/// Returns what a CRD would say about versions and the status subresource, from the lists of resources under
/// /apis/GROUP/VERSION, by that path: for an operator that may not read CRDs. Nullopt when no version is served.
std::optional<json::Document> crd_from_discovery(const api::Resource& kind,
                                                 const std::map<std::string, json::Document>& lists);
KindChoices choose_kinds(std::span<const json::Document> crds, const Wishes& wishes);

/// Returns the paths of the status fields that the operator writes in this version and the schema of the CRD prunes.
std::vector<std::string> pruned_status_fields(const api::Resource& resource, const json::Document& crd);

}  // namespace muster::control
