#include "agent/launch/container_env.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/launch/limits.h"
#include "base/quantity.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

void set(Variables& variables, const std::string& name, std::string value) {
  const auto found = std::ranges::find(variables, name, &std::pair<std::string, std::string>::first);
  if (found != variables.end()) {
    found->second = std::move(value);
  } else {
    variables.emplace_back(name, std::move(value));
  }
}

Error missing(std::string message) {
  return Error{.reason = Reason::kNotFound, .message = std::move(message)};
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
}

/// Returns "app" for "metadata.labels['app']".
std::string subscript_of(std::string_view path) {
  const auto open = path.find("['");
  if (open == std::string_view::npos || !path.ends_with("']")) return "";
  return std::string(path.substr(open + 2, path.size() - open - 4));
}

/// "key=\"value\"" lines, as a kubelet writes them.
std::string lines_of(const Document* map) {
  std::map<std::string, std::string> sorted;
  if (map != nullptr && map->is_object()) {
    for (const json::Member& member : map->as_object()) {
      if (member.value.is_string()) sorted.emplace(member.key, member.value.as_string());
    }
  }
  std::vector<std::string> lines;
  lines.reserve(sorted.size());
  for (const auto& [key, value] : sorted) lines.push_back(fmt::format("{}={}", key, json::serialize(Document(value))));
  return join(lines, "\n");
}

const Document* container_named(const Document& pod, const std::string& name) {
  for (const char* list : {"containers", "initContainers"}) {
    for (const Document& container : pod.array_at("spec", list)) {
      if (container.string_at("name") == name) return &container;
    }
  }
  return nullptr;
}

/// Returns limits.cpu, requests.memory, … divided and rounded up. A limit that is not set is the node's capacity.
Result<std::string> amount_field(const Document& container, const Document& reference, const PodFacts& facts) {
  const std::string& resource = reference.string_at("resource");
  const auto dot = resource.find('.');
  const std::string list = resource.substr(0, dot);
  const std::string name = dot == std::string::npos ? "" : resource.substr(dot + 1);
  auto quantity = resource_of(container, list, name);
  if (!quantity && name == "cpu") quantity = Quantity::of(facts.node_cpus);
  if (!quantity && name == "memory") quantity = Quantity::of(facts.node_memory);
  if (!quantity) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("resourceFieldRef: container has no {}", quote(resource))};
  }
  const auto divisor = Quantity::parse(reference.string_at("divisor"));
  const std::int64_t unit = divisor && !divisor->is_zero() ? divisor->milli_value() : 1000;
  const std::int64_t milli = quantity->milli_value();
  return std::to_string(milli / unit + (milli % unit > 0 ? 1 : 0));
}

Result<std::string> keyed_value(const Document& reference, const char* kind, const References::Find& find,
                                Result<std::string> (*value_of)(const Document&, const std::string&)) {
  const std::string& name = reference.string_at("name");
  const auto object = find(name);
  if (object == nullptr) return missing(fmt::format("{} {} not found", kind, quote(name)));
  const std::string& key = reference.string_at("key");
  auto value = value_of(*object, key);
  if (!value) return missing(fmt::format("couldn't find key {} in {} {}", quote(key), kind, quote(name)));
  return value;
}

/// Returns nullopt when an optional reference does not exist.
Result<std::optional<std::string>> value_from(const Document& pod, const Document& container, const Document& source,
                                              const PodFacts& facts, const References& references) {
  const Document* reference = nullptr;
  Result<std::string> value = std::string();
  if ((reference = source.find("fieldRef")) != nullptr) {
    value = pod_field(pod, facts, reference->string_at("fieldPath"));
  } else if ((reference = source.find("resourceFieldRef")) != nullptr) {
    value = resource_field(pod, &container, *reference, facts);
  } else if ((reference = source.find("configMapKeyRef")) != nullptr) {
    value = keyed_value(*reference, "configmap", references.config_map, config_map_value);
  } else if ((reference = source.find("secretKeyRef")) != nullptr) {
    value = keyed_value(*reference, "secret", references.secret, secret_value);
  } else {
    return Error{.reason = Reason::kInvalid,
                 .message = "valueFrom: must be fieldRef, resourceFieldRef, configMapKeyRef or secretKeyRef"};
  }
  if (value) return std::optional<std::string>(*std::move(value));
  if (value.error().reason == Reason::kNotFound && reference->bool_at("optional")) return std::optional<std::string>();
  return std::move(value).error();
}

Status add_all_of(const Document& source, const References& references, Variables& variables) {
  const Document* from_map = source.find("configMapRef");
  const Document* from_secret = source.find("secretRef");
  const Document* reference = from_map != nullptr ? from_map : from_secret;
  if (reference == nullptr)
    return Error{.reason = Reason::kInvalid, .message = "envFrom: must be configMapRef or secretRef"};
  const std::string& name = reference->string_at("name");
  const auto object = from_map != nullptr ? references.config_map(name) : references.secret(name);
  if (object == nullptr) {
    if (reference->bool_at("optional")) return ok();
    return missing(fmt::format("{} {} not found", from_map != nullptr ? "configmap" : "secret", quote(name)));
  }
  const Document* data = object->find("data");
  if (data == nullptr || !data->is_object()) return ok();
  for (const json::Member& member : data->as_object()) {
    const std::string variable = source.string_at("prefix") + member.key;
    if (!is_variable_name(variable)) continue;  // skipped, as in Kubernetes
    auto value = from_map != nullptr ? config_map_value(*object, member.key) : secret_value(*object, member.key);
    if (!value) return std::move(value).error();
    set(variables, variable, *std::move(value));
  }
  return ok();
}

}  // namespace

std::string expand(std::string_view text, const std::function<const std::string*(const std::string&)>& value_of) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out.push_back(text[i]);
      continue;
    }
    const char next = text[i + 1];
    const std::size_t close = next == '(' ? text.find(')', i) : std::string_view::npos;
    if (next == '$') {
      out.push_back('$');
      ++i;
    } else if (close != std::string_view::npos) {
      const std::string name(text.substr(i + 2, close - i - 2));
      const std::string* value = value_of(name);
      out += value != nullptr ? *value : fmt::format("$({})", name);
      i = close;
    } else {
      out.push_back('$');
    }
  }
  return out;
}

std::string expand(std::string_view text, const Variables& variables) {
  return expand(text, [&variables](const std::string& name) -> const std::string* {
    const auto found = std::ranges::find(variables, name, &std::pair<std::string, std::string>::first);
    return found == variables.end() ? nullptr : &found->second;
  });
}

Result<std::string> resource_field(const Document& pod, const Document* container, const Document& reference,
                                   const PodFacts& facts) {
  const std::string& name = reference.string_at("containerName");
  const Document* of = name.empty() && container != nullptr ? container : container_named(pod, name);
  if (of != nullptr) return amount_field(*of, reference, facts);
  return Error{
      .reason = Reason::kInvalid,
      .message = fmt::format("resourceFieldRef: containerName must be a container of the pod, got {}", quote(name))};
}

Result<std::string> pod_field(const Document& pod, const PodFacts& facts, std::string_view path) {
  if (path == "metadata.name") return pod.string_at("metadata", "name");
  if (path == "metadata.namespace") return pod.string_at("metadata", "namespace");
  if (path == "metadata.uid") return pod.string_at("metadata", "uid");
  if (path == "metadata.labels") return lines_of(pod.at("metadata", "labels"));
  if (path == "metadata.annotations") return lines_of(pod.at("metadata", "annotations"));
  if (path == "spec.nodeName") return pod.string_at("spec", "nodeName");
  if (path == "spec.serviceAccountName") return pod.string_at("spec", "serviceAccountName");
  if (path == "status.podIP" || path == "status.podIPs") return facts.address;
  if (path == "status.hostIP" || path == "status.hostIPs") return facts.host_address;
  const std::string subscript = subscript_of(path);
  if (!subscript.empty() && path.starts_with("metadata.labels[")) return pod.string_at("metadata", "labels", subscript);
  if (!subscript.empty() && path.starts_with("metadata.annotations["))
    return pod.string_at("metadata", "annotations", subscript);
  return Error{.reason = Reason::kInvalid, .message = fmt::format("fieldRef: unsupported fieldPath {}", quote(path))};
}

Result<std::string> secret_value(const Document& secret, const std::string& key) {
  const Document* found = secret.at("data", key);
  if (found == nullptr || !found->is_string()) return missing(fmt::format("no key {}", quote(key)));
  auto bytes = base64_decode(found->as_string());
  if (!bytes) return Error{.reason = Reason::kInvalid, .message = fmt::format("data[{}]: not base64", quote(key))};
  return *std::move(bytes);
}

Result<std::string> config_map_value(const Document& config_map, const std::string& key) {
  if (const Document* found = config_map.at("data", key); found != nullptr && found->is_string())
    return found->as_string();
  if (const Document* found = config_map.at("binaryData", key); found != nullptr && found->is_string()) {
    auto bytes = base64_decode(found->as_string());
    if (!bytes)
      return Error{.reason = Reason::kInvalid, .message = fmt::format("binaryData[{}]: not base64", quote(key))};
    return *std::move(bytes);
  }
  return missing(fmt::format("no key {}", quote(key)));
}

Result<Variables> container_variables(const Document& pod, const Document& container, const PodFacts& facts,
                                      const References& references, const Variables& defaults) {
  Variables variables = defaults;
  for (const Document& source : container.array_at("envFrom")) TRY(add_all_of(source, references, variables));
  for (const Document& entry : container.array_at("env")) {
    const std::string& name = entry.string_at("name");
    const Document* source = entry.find("valueFrom");
    if (source == nullptr || source->is_null()) {
      set(variables, name, expand(entry.string_at("value"), variables));
      continue;
    }
    auto value = value_from(pod, container, *source, facts, references);
    if (!value) return in_context(fmt::format("env {}", quote(name)), std::move(value).error());
    if (*value) set(variables, name, **std::move(value));
  }
  return variables;
}

}  // namespace muster::agent
