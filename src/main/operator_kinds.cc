#include "main/operator_kinds.h"

#include <fmt/core.h>

#include <set>

#include "base/strings.h"

namespace muster {

namespace {

constexpr Duration kLongestDiscovery = std::chrono::seconds(10);

client::ResourceName crd_resource() {
  return {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
}

/// The CRDs that exist, as far as they may be read.
struct ReadCrds {
  std::vector<json::Document> crds;
  std::vector<const api::Resource*> forbidden;  // the kinds whose CRD may not be read
};

Result<ReadCrds> read_crds_by_name(cli::Session& session, client::ApiClient& api) {
  ReadCrds read;
  for (const api::Resource* kind : control::operated_kinds()) {
    auto crd = session.await([&](client::OnDocument done) {
      api.get({.resource = crd_resource(), .ns = "", .name = kind->qualified_name()}, std::move(done));
    });
    if (crd) {
      read.crds.push_back(*std::move(crd));
    } else if (crd.error().reason == Reason::kForbidden) {
      read.forbidden.push_back(kind);
    } else if (crd.error().reason != Reason::kNotFound) {
      return std::move(crd).error();
    }
  }
  return read;
}

/// Adds what discovery tells about the kinds whose CRDs may not be read.
Status discover(cli::Session& session, ReadCrds& read) {
  std::set<std::string> paths;
  for (const api::Resource* kind : read.forbidden) {
    for (const api::Resource* version : api::versions_of(*kind)) {
      paths.insert(fmt::format("/apis/{}/{}", version->group, version->version));
    }
  }
  std::map<std::string, json::Document> lists;
  for (const std::string& path : paths) {
    const auto text = session.get_text(path, kLongestDiscovery);
    if (!text && text.error().reason == Reason::kNotFound) continue;
    if (!text) return text.error();
    TRY_ASSIGN(lists[path], json::parse(*text));
  }
  for (const api::Resource* kind : read.forbidden) {
    if (auto crd = control::crd_from_discovery(*kind, lists)) read.crds.push_back(*std::move(crd));
  }
  return ok();
}

/// Returns what the user should know about the kinds that are not run, in one line each.
std::vector<std::string> notes_on(const control::KindChoices& kinds) {
  std::vector<std::string> notes;
  if (!kinds.absent.empty()) {
    notes.push_back("the cluster lacks " + join(kinds.absent, ", ") +
                    "; to install all of Muster's kinds: muster crds | kubectl apply --server-side -f -");
  }
  notes.insert(notes.end(), kinds.unusable.begin(), kinds.unusable.end());
  for (const control::ChosenKind& one : kinds.chosen) {
    if (!one.refusal.empty()) notes.push_back(one.refusal);
  }
  return notes;
}

std::string note_on_unread(const std::vector<const api::Resource*>& kinds) {
  std::vector<std::string> names;
  for (const api::Resource* kind : kinds) names.push_back(kind->qualified_name());
  return fmt::format(
      "the operator may not read the CRDs {}, so it cannot check whether they prune a status field that Muster writes; "
      "give it the right get on customresourcedefinitions",
      join(names, ", "));
}

}  // namespace

Result<FoundKinds> read_kinds(cli::Session& session, client::ApiClient& api, const control::Wishes& wishes,
                              const std::vector<std::string>& namespaces) {
  FoundKinds found;
  if (namespaces.empty()) {
    auto list = session.await([&](client::OnDocument done) { api.list(crd_resource(), "", {}, std::move(done)); });
    if (list) {
      found.choices = control::choose_kinds(list->array_at("items"), wishes);
      found.notes = notes_on(found.choices);
      return found;
    }
    if (list.error().reason != Reason::kForbidden) return std::move(list).error();
  }
  TRY_ASSIGN(ReadCrds read, read_crds_by_name(session, api));
  TRY(discover(session, read));
  found.choices = control::choose_kinds(read.crds, wishes);
  found.choices.namespaces = namespaces;
  found.notes = notes_on(found.choices);
  if (!read.forbidden.empty()) found.notes.push_back(note_on_unread(read.forbidden));
  return found;
}

}  // namespace muster
