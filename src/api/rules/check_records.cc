// Rules for kinds that only hold data: ConfigMap, Secret, Namespace, Node, Event, PriorityClass.
#include <fmt/core.h>

#include "api/rules/checks.h"
#include "api/rules/findings.h"
#include "base/strings.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::kRoot;
using reflect::Place;

constexpr std::size_t kMaxBytes = 1024 * 1024;

/// Checks the keys, which must be valid file names, and returns the size of all values in bytes.
std::size_t check_keys(const Document& object, const char* member, bool encoded, Findings& found) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : members_of(object, member)) {
    const std::string place = fmt::format("{}[{}]", member, key);
    found.config_key(key, kRoot.member(place));
    const std::size_t size = value.is_string() ? value.as_string().size() : 0;
    bytes += encoded ? size / 4 * 3 : size;
  }
  return bytes;
}

/// Returns the keys that a secret of this type must have.
std::vector<std::string> needed_keys(const std::string& type) {
  if (type == "kubernetes.io/tls") return {"tls.crt", "tls.key"};
  if (type == "kubernetes.io/dockerconfigjson") return {".dockerconfigjson"};
  if (type == "kubernetes.io/dockercfg") return {".dockercfg"};
  if (type == "kubernetes.io/ssh-auth") return {"ssh-privatekey"};
  return {};
}

/// The annotation that names the account a token belongs to.
constexpr const char* kAccountName = "kubernetes.io/service-account.name";

void check_secret_type(const Document& secret, Findings& found) {
  const std::string& type = secret.string_at("type");
  const bool of_account = type == "kubernetes.io/service-account-token";
  if (of_account && secret.string_at("metadata", "annotations", kAccountName).empty()) {
    const std::string place = fmt::format("metadata.annotations[{}]", kAccountName);
    found.required(kRoot.member(place));
  }
  const auto at = [](const std::string& key) { return "data[" + key + "]"; };
  for (const std::string& key : needed_keys(type)) {
    const Document* value = secret.at("data", key);
    const std::string place = at(key);
    if (value == nullptr) {
      found.required(kRoot.member(place));
    } else if (key.starts_with(".docker") && !json::parse(base64_decode(secret.string_at("data", key)).value_or(""))) {
      found.invalid(kRoot.member(place), "<secret contents redacted>", "must be JSON");
    }
  }
  if (type == "kubernetes.io/basic-auth" && secret.at("data", "username") == nullptr &&
      secret.at("data", "password") == nullptr) {
    for (const char* key : {"username", "password"}) {
      const std::string place = at(key);
      found.required(kRoot.member(place));
    }
  }
}

}  // namespace

void check_config_map(const Document& map, Findings& found) {
  const std::size_t bytes = check_keys(map, "data", false, found) + check_keys(map, "binaryData", true, found);
  for (const auto& [key, value] : members_of(map, "data")) {
    if (map.at("binaryData", key) == nullptr) continue;
    const std::string place = "data[" + key + "]";
    found.invalid(kRoot.member(place), key, "duplicate of key present in binaryData");
  }
  found.at_most_bytes(bytes, kMaxBytes, "[]");
}

void check_secret(const Document& secret, Findings& found) {
  found.at_most_bytes(check_keys(secret, "data", true, found), kMaxBytes, "data");
  check_secret_type(secret, found);
}

void check_namespace(const Document& ns, Findings& found) {
  const Document* spec = ns.find("spec");
  if (spec == nullptr) return;
  for (const Document& finalizer : spec->array_at("finalizers")) {
    const std::string name = finalizer.is_string() ? finalizer.as_string() : "";
    if (name == "kubernetes" || name.find('/') != std::string::npos) continue;
    found.invalid(kRoot.member("spec.finalizers"), name,
                  "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void check_node(const Document& node, Findings& found) {
  const Document* spec = node.find("spec");
  if (spec == nullptr) return;
  const Place list = kRoot.member("metadata.taints");  // the path in the messages of Kubernetes
  std::size_t index = 0;
  for (const Document& taint : spec->array_at("taints")) {
    const Place at = list.item(index++);
    found.has_text(taint, "key", at);
    found.one_of(taint, "effect", at, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

void check_event(const Document& event, Findings& found) {
  const std::string& about = event.string_at("involvedObject", "namespace");
  const std::string& ns = event.string_at("metadata", "namespace");
  // Events about objects without a namespace are stored in the namespace "default".
  if (about != ns && !(about.empty() && ns == "default")) {
    found.invalid(kRoot.member("involvedObject.namespace"), about, "does not match event.namespace");
  }
}

void check_priority_class(const Document& priority, Findings& found) {
  constexpr std::int64_t highest = 1'000'000'000;  // higher values are reserved for the cluster itself
  if (priority.string_at("metadata", "name").starts_with("system-")) {
    found.forbidden(kRoot.member("metadata.name"),
                    "priority class names with 'system-' prefix are reserved for system use only");
  } else if (priority.int_at("value") > highest) {
    found.forbidden(kRoot.member("value"),
                    fmt::format("maximum allowed value of a user defined priority is {}", highest));
  }
}

}  // namespace muster::api
