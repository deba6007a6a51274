#include "apiserver/admission/notify_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "api/muster/notify_names.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;

constexpr std::string_view kSecret = "secret/";
constexpr std::size_t kLongestSecret = 50;  // its name is part of the name of an annotation

struct Named {
  std::string path;
  std::string target;
  bool operator==(const Named&) const = default;
};

void find_targets(const Document& value, const Place& place, std::vector<Named>& found) {
  if (value.is_array()) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) find_targets(item, place.item(index++), found);
  }
  if (!value.is_object()) return;
  for (const json::Member& member : value.as_object()) {
    const Place at = place.member(member.key);
    if (member.key != api::kNotifyAnnotation || !member.value.is_string()) {
      find_targets(member.value, at, found);
      continue;
    }
    for (const std::string& word : split(member.value.as_string(), ',')) {
      found.push_back({at.text(), std::string(trim(word))});
    }
  }
}

/// Returns the targets that are new in the object.
std::vector<Named> new_targets(const Document* before, const Document& after) {
  std::vector<Named> found;
  find_targets(after, reflect::kRoot, found);
  if (before == nullptr || found.empty()) return found;
  std::vector<Named> known;
  find_targets(*before, reflect::kRoot, known);
  std::erase_if(found, [&](const Named& one) { return std::ranges::find(known, one) != known.end(); });
  return found;
}

bool is_hook_secret(const Document& object) {
  return object.string_at("kind") == "Secret" && object.string_at("type") == api::kNotifySecretType;
}

std::string problem_with(const std::string& target) {
  if (target.find("://") != std::string::npos) {
    return fmt::format(
        "a URL would be visible to everybody who may read this object; store it as `url` in a Secret of type {} and "
        "write secret/NAME",
        api::kNotifySecretType);
  }
  if (target.starts_with(kSecret)) {
    const std::string name = target.substr(kSecret.size());
    const bool is_good = is_dns_subdomain(name) && name.size() <= kLongestSecret;
    return is_good ? "" : fmt::format("secret/ needs the name of a Secret of at most {} characters", kLongestSecret);
  }
  // Which ones exist is known to the engine that sends; a job may name one that is about to be configured.
  const bool is_good = is_dns_label(target) && target.size() <= kLongestSecret;
  return is_good ? "" : "must be names of targets in the configuration, separated by commas";
}

}  // namespace

Status check_notify_sender(const ResourceRequest& request, const Document* before, const Document& after) {
  if (request.who.is_owner()) return ok();
  const std::string& name = after.string_at("metadata", "name");
  if (is_hook_secret(after) || (before != nullptr && is_hook_secret(*before))) {
    return forbidden(*request.resource, name,
                     fmt::format("type: only the owner of this engine may write Secrets of type {}, got a request from "
                                 "{}; use another type",
                                 api::kNotifySecretType, user_name(request.who)));
  }
  for (const Named& one : new_targets(before, after)) {
    if (!one.target.starts_with(kSecret)) continue;
    return forbidden(*request.resource, name,
                     fmt::format("{}: only the owner of this engine may name a Secret here, got {} from {}; name a "
                                 "target of the configuration",
                                 one.path, quote(one.target), user_name(request.who)));
  }
  return ok();
}

std::vector<FieldCause> check_notify_targets(const Document* before, const Document& after) {
  std::vector<FieldCause> causes;
  for (const Named& one : new_targets(before, after)) {
    const std::string problem = problem_with(one.target);
    // The value may have a token in it.
    const std::string shown = one.target.find("://") == std::string::npos ? quote(one.target) : "a URL";
    if (!problem.empty()) causes.push_back(invalid_value(one.path, shown, problem));
  }
  return causes;
}

}  // namespace muster::apiserver
