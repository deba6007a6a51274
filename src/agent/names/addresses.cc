#include "agent/names/addresses.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "agent/pod/pod_facts.h"
#include "api/owners.h"
#include "base/strings.h"
#include "json/jsonpath.h"

namespace muster::agent {
namespace {

using json::Document;

// 127.1.0.1 … 127.254.255.254: localhost and the host's own resolvers and services listen in 127.0.0.0/16.
constexpr std::uint32_t kFirst = 1U << 16;
constexpr std::uint32_t kCount = 254U << 16;

bool is_usable(std::uint32_t number) {
  const std::uint32_t last = number & 0xff;
  return last != 0 && last != 255;
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001b3ULL;
  }
  return value;
}

/// Adds NAME, NAME.NS, NAME.NS.svc and NAME.NS.svc.cluster.local.
void add_all_forms(const std::string& name, const std::string& ns, std::vector<std::string>& names) {
  for (const std::string& form :
       {name, name + "." + ns, name + "." + ns + ".svc", name + "." + ns + ".svc.cluster.local"}) {
    if (std::ranges::find(names, form) == names.end()) names.push_back(form);
  }
}

/// Only names that say their namespace have a meaning in others.
bool is_qualified(const std::string& name, const std::string& ns) {
  return name.ends_with("." + ns) || name.ends_with("." + ns + ".svc") ||
         name.ends_with("." + ns + ".svc.cluster.local");
}

/// Services by the rarest label that their selectors ask for, so that finding those of one pod does not cost a look at
/// all of them: each replica of a job may have a service of its own, and all of these share the labels of the job.
class ServiceIndex {
 public:
  explicit ServiceIndex(const std::vector<const Document*>& services) {
    std::map<Label, std::size_t> uses;
    const auto each_label = [&](const Document& service, const auto& visit) {
      const Document* selector = service.at("spec", "selector");
      if (selector == nullptr || !selector->is_object()) return;
      for (const json::Member& wanted : selector->as_object()) visit(Label{wanted.key, json::plain_text(wanted.value)});
    };
    for (const Document* service : services) each_label(*service, [&](const Label& label) { ++uses[label]; });
    for (const Document* service : services) {
      std::optional<Label> rarest;
      each_label(*service, [&](const Label& label) {
        if (!rarest || uses[label] < uses[*rarest]) rarest = label;
      });
      if (rarest) by_label_[*rarest].push_back(service);
    }
  }

  /// In the order of their names.
  std::vector<const Document*> selecting(const Document& pod) const {
    std::vector<const Document*> found;
    const Document* labels = pod.at("metadata", "labels");
    if (labels == nullptr || !labels->is_object()) return found;
    for (const json::Member& label : labels->as_object()) {
      const auto candidates = by_label_.find({label.key, json::plain_text(label.value)});
      if (candidates == by_label_.end()) continue;
      std::ranges::copy_if(candidates->second, std::back_inserter(found),
                           [&pod](const Document* service) { return selects(*service, pod); });
    }
    std::ranges::sort(found, {},
                      [](const Document* s) -> const std::string& { return s->string_at("metadata", "name"); });
    return found;
  }

 private:
  using Label = std::pair<std::string, std::string>;
  std::map<Label, std::vector<const Document*>> by_label_;
};

std::vector<std::string> names_of(const Document& pod, const std::string& ns, const ServiceIndex& services) {
  const std::string& pod_name = pod.string_at("metadata", "name");
  std::vector<std::string> names;
  add_all_forms(pod_name, ns, names);
  const std::string host_name = host_name_of(pod);
  const std::string& subdomain = pod.string_at("spec", "subdomain");
  if (host_name != pod_name) names.push_back(host_name);
  if (!subdomain.empty()) add_all_forms(host_name + "." + subdomain, ns, names);
  // A pod that has ended keeps its own names, so that a late peer gets "connection refused" and not "unknown host". A
  // service resolves to live pods only.
  if (has_ended(pod)) return names;
  for (const Document* service : services.selecting(pod)) {
    const std::string& service_name = service->string_at("metadata", "name");
    add_all_forms(service_name, ns, names);
    add_all_forms(pod_name + "." + service_name, ns, names);
  }
  return names;
}

/// The names under which pods of other networks know the pod: those that Services give it.
std::vector<std::string> names_by_services(const Document& pod, const std::string& ns, const ServiceIndex& services) {
  std::vector<std::string> names;
  if (has_ended(pod)) return names;
  for (const Document* service : services.selecting(pod)) {
    if (api::controller_of(*service) != nullptr) continue;
    const std::string& service_name = service->string_at("metadata", "name");
    add_all_forms(service_name, ns, names);
    add_all_forms(pod.string_at("metadata", "name") + "." + service_name, ns, names);
    if (pod.string_at("spec", "subdomain") == service_name)
      add_all_forms(host_name_of(pod) + "." + service_name, ns, names);
  }
  return names;
}

std::string line_of(const std::string& address, const std::vector<std::string>& names) {
  return names.empty() ? "" : address + " " + join(names, " ") + "\n";
}

}  // namespace

std::string pick_address(std::string_view uid, const std::function<bool(const std::string& address)>& is_used) {
  const std::uint32_t start = static_cast<std::uint32_t>(hash(uid) % kCount);
  for (std::uint32_t step = 0; step < kCount; ++step) {
    const std::uint32_t number = kFirst + (start + step) % kCount;
    if (!is_usable(number)) continue;
    std::string address = fmt::format("127.{}.{}.{}", number >> 16, number >> 8 & 0xff, number & 0xff);
    if (!is_used(address)) return address;
  }
  return "";
}

bool selects(const Document& service, const Document& pod) {
  const Document* selector = service.at("spec", "selector");
  if (selector == nullptr || !selector->is_object() || selector->as_object().empty()) return false;
  return std::ranges::all_of(selector->as_object(), [&pod](const json::Member& wanted) {
    const Document* label = pod.at("metadata", "labels", wanted.key);
    return label != nullptr && *label == wanted.value;
  });
}

NamespaceNames namespace_names(const std::string& ns, const std::vector<const Document*>& pods,
                               const std::vector<const Document*>& services, const NetworkOfPod& network_of) {
  NamespaceNames lines;
  const ServiceIndex index(services);
  std::vector<std::pair<std::string, std::string>> by_services;  // the network of a pod, and its line in others
  for (const Document* pod : pods) {
    const std::string& address = pod->string_at("status", "podIP");
    if (address.empty()) continue;
    std::vector<std::string> names = names_of(*pod, ns, index);
    const std::string line = line_of(address, names);
    lines.inside += line;
    if (const std::string network = network_of(*pod); !network.empty()) {
      lines.networks[network] += line;
      std::string elsewhere = line_of(address, names_by_services(*pod, ns, index));
      if (!elsewhere.empty()) by_services.emplace_back(network, std::move(elsewhere));
    }
    std::erase_if(names, [&ns](const std::string& name) { return !is_qualified(name, ns); });
    lines.outside += line_of(address, names);
  }
  for (auto& [network, text] : lines.networks) {
    for (const auto& [of, line] : by_services) {
      if (of != network) text += line;
    }
  }
  return lines;
}

std::string hosts_text(const std::string& ns, std::string_view host_entries,
                       const std::map<std::string, NamespaceNames>& names) {
  std::string text(host_entries);
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
  const auto own = names.find(ns);
  if (own != names.end()) text += "# pods and services of namespace " + ns + "\n" + own->second.inside;
  for (const auto& [name, lines] : names) {
    if (name != ns && !lines.outside.empty()) text += "# namespace " + name + "\n" + lines.outside;
  }
  return text;
}

}  // namespace muster::agent
