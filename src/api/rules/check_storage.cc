// Rules for persistent volumes and their claims.
#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "api/rules/findings.h"
#include "base/quantity.h"
#include "reflect/causes.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::kRoot;
using reflect::Place;

void check_modes(const Document& spec, const Place& place, std::string_view detail, Findings& found) {
  static const std::vector<std::string> kModes = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};
  const json::Array& modes = spec.array_at("accessModes");
  if (modes.empty()) found.required(place.member("accessModes"), detail);
  for (const Document& mode : modes) {
    if (mode.is_string() && !contains(kModes, mode.as_string()))
      found.not_supported(place.member("accessModes"), mode, kModes);
  }
}

void check_storage(const Document* amount, const Place& at, Findings& found) {
  if (amount == nullptr) return found.required(at);
  const auto text = reflect::quantity_text(*amount);
  const auto size = text ? Quantity::parse(*text) : std::nullopt;
  if (size && *size <= Quantity()) found.invalid(at, *amount, "must be greater than zero");
}

const Document& spec_or_empty(const Document& object) {
  static const Document kNone = json::Object();
  const Document* given = object.find("spec");
  return given == nullptr ? kNone : *given;
}

}  // namespace

void check_persistent_volume_claim(const Document& claim, Findings& found) {
  const Document& spec = spec_or_empty(claim);
  const Place place = kRoot.member("spec");
  check_modes(spec, place, "at least 1 access mode is required", found);
  check_storage(spec.at("resources", "requests", "storage"), place.member("resources[storage]"), found);
  found.one_of(spec, "volumeMode", place, {"Block", "Filesystem"});
}

void check_persistent_volume(const Document& volume, Findings& found) {
  const Document& spec = spec_or_empty(volume);
  const Place place = kRoot.member("spec");
  check_modes(spec, place, {}, found);
  if (members_of(spec, "capacity").empty()) {
    found.required(place.member("capacity"));
  } else {
    check_storage(spec.at("capacity", "storage"), place.member("capacity[storage]"), found);
  }
  if (check_volume_sources(spec, place, found) == 0) found.required(place, "must specify a volume type");
}

}  // namespace muster::api
