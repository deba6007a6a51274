#include "apiserver/admission/owner_claims.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "api/muster/claim_names.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;

struct NamedClaim {
  std::string path;
  std::string claim;
};

/// A log folder of a TensorBoard: t9k://pvc/NAME/PATH.
std::optional<std::string> claim_of_fileset(const Document& value) {
  constexpr std::string_view kScheme = "t9k://pvc/";
  if (!value.is_string() || !value.as_string().starts_with(kScheme)) return std::nullopt;
  const std::string rest = value.as_string().substr(kScheme.size());
  return rest.substr(0, rest.find('/'));
}

/// Kinds are not told apart, so that a kind added later, and members that a descriptor does not model, are covered.
void find_claims(const Document& value, const Place& place, std::vector<NamedClaim>& found) {
  if (value.is_object()) {
    for (const json::Member& member : value.as_object()) {
      const Place at = place.member(member.key);
      if (member.key == "claimName" && member.value.is_string()) {
        found.push_back({at.text(), member.value.as_string()});
      } else if (member.key == "pvc" && member.value.is_array()) {
        for (const Document& source : member.value.as_array()) found.push_back({at.text(), source.string_at("name")});
      } else {
        find_claims(member.value, at, found);
      }
    }
  } else if (value.is_array()) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) find_claims(item, place.item(index++), found);
  } else if (auto claim = claim_of_fileset(value)) {
    found.push_back({place.text(), *std::move(claim)});
  }
}

/// A ConfigMap, a status and an annotation only talk about claims.
std::vector<NamedClaim> claims_named_in(const Document& object) {
  std::vector<NamedClaim> found;
  for (const char* part : {"spec", "template"}) {
    if (const Document* value = object.find(part)) find_claims(*value, reflect::kRoot.member(part), found);
  }
  return found;
}

bool is_marked(const Document& claim) {
  return claim.at("metadata", "annotations", api::kOwnerOnlyAnnotation) != nullptr;
}

const api::Resource& claims_resource() {
  return *api::find_kind("v1", "PersistentVolumeClaim");
}

/// The home counts before it exists: a pod would wait for it.
bool is_owners(const Context& context, const std::string& ns, const std::string& claim) {
  const store::Entry* entry = context.store.latest({"persistentvolumeclaims", ns, claim});
  if (entry == nullptr) return claim == api::kHomeClaim;
  // This runs for every object that an account writes, and a search of the text answers for most claims.
  if (entry->bytes->find(api::kOwnerOnlyAnnotation) == std::string::npos) return false;
  const auto object = json::parse(*entry->bytes);
  return object && is_marked(*object);
}

std::optional<NamedClaim> owners_claim_in(const Context& context, const std::string& ns, const Document& object) {
  for (NamedClaim& one : claims_named_in(object)) {
    if (is_owners(context, ns, one.claim)) return std::move(one);
  }
  return std::nullopt;
}

std::string mark_path() {
  return std::string("metadata.annotations.") + api::kOwnerOnlyAnnotation;
}

Status check_claim(const ResourceRequest& request, const Document* before, const Document& after) {
  const std::string& name = after.string_at("metadata", "name");
  const bool is_marked_now = is_marked(after) || (before != nullptr && is_marked(*before));
  const bool is_new_home = before == nullptr && name == api::kHomeClaim;
  if (!is_marked_now && !is_new_home) return ok();
  return forbidden(*request.resource, name,
                   fmt::format("{}: only the owner of this engine may {}, got a request from {}; {}, or ask the owner",
                               is_marked_now ? mark_path() : "metadata.name",
                               is_marked_now ? "write a claim with this annotation" : "make the claim of this name",
                               user_name(request.who), "use another claim"));
}

}  // namespace

Status check_owner_claims(const Context& context, const ResourceRequest& request, const Document* before,
                          const Document& after) {
  if (request.who.is_owner()) return ok();
  if (request.resource->qualified_name() == "persistentvolumeclaims") return check_claim(request, before, after);
  auto found = owners_claim_in(context, request.ns, after);
  if (!found && before != nullptr) found = owners_claim_in(context, request.ns, *before);
  if (!found) return ok();
  return forbidden(*request.resource, after.string_at("metadata", "name"),
                   fmt::format("{}: only the owner of this engine may use claim {}, got a request from {}; use another "
                               "claim, or ask the owner to write the object",
                               found->path, quote(found->claim), user_name(request.who)));
}

Status check_claim_files(const Principal& who, const Document& claim) {
  if (who.is_owner() || !is_marked(claim)) return ok();
  return forbidden(
      claims_resource(), claim.string_at("metadata", "name"),
      fmt::format("{}: only the owner of this engine may use its files, got a request from {}; use another "
                  "claim, or ask the owner",
                  mark_path(), user_name(who)));
}

Status check_entry(const Context& context, const ResourceRequest& request, const Document& pod) {
  if (request.who.is_owner()) return ok();
  const auto found = owners_claim_in(context, request.ns, pod);
  if (!found) return ok();
  const ServiceAccount& account = request.who.account;
  const store::Entry* own = context.store.latest({"pods", account.ns, account.pod});
  const auto sender = own == nullptr ? Result<Document>(Document()) : json::parse(*own->bytes);
  const bool has_it_too =
      sender && account.ns == request.ns && sender->string_at("metadata", "uid") == account.pod_uid &&
      std::ranges::any_of(claims_named_in(*sender), [&](const NamedClaim& one) { return one.claim == found->claim; });
  if (has_it_too) return ok();
  return forbidden(
      *request.resource, request.name,
      fmt::format("{}: only the owner of this engine may enter a pod with claim {}, got a request from {}; "
                  "ask the owner",
                  found->path, quote(found->claim), user_name(request.who)));
}

}  // namespace muster::apiserver
