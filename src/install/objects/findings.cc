#include "install/objects/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "control/runtime/foreign_controllers.h"
#include "install/objects/decide.h"
#include "install/objects/metadata.h"

namespace muster::install {

namespace {

using cli::Check;
using cli::Health;

std::string install_command(const Settings& settings) {
  return settings.ns == Settings().ns ? "muster install" : "muster install -n " + settings.ns;
}

/// "28+" on some clusters.
std::int64_t leading_number(const std::string& text) {
  const auto end = text.find_first_not_of("0123456789");
  return parse_int(text.substr(0, end)).value_or(0);
}

std::string counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// A new version's CRDs may have more fields than those on the cluster.
bool is_current(const json::Document& live) {
  for (const api::Resource& kind : api::resources()) {
    if (!kind.has_own_crd() || kind.qualified_name() != live.string_at("metadata", "name")) continue;
    const json::Document wanted = api::crd(kind);
    return std::ranges::all_of(wanted.array_at("spec", "versions"), [&](const json::Document& version) {
      return std::ranges::any_of(live.array_at("spec", "versions"), [&](const json::Document& served) {
        return served.string_at("name") == version.string_at("name") && served.bool_at("served");
      });
    });
  }
  return true;
}

}  // namespace

Check server_finding(const json::Document& version) {
  const std::string& name = version.string_at("gitVersion");
  const std::int64_t major = leading_number(version.string_at("major"));
  const std::int64_t minor = leading_number(version.string_at("minor"));
  if (major == 1 && minor < kOldestMinor) {
    return {"server", Health::kBad, fmt::format("Kubernetes {} is too old", name),
            fmt::format("upgrade the cluster to 1.{} or later", kOldestMinor)};
  }
  return {"server", Health::kGood, "Kubernetes " + name};
}

std::vector<Check> kind_findings(const std::vector<json::Document>& crds, const control::Wishes& wishes, Stage stage) {
  std::vector<Check> findings;
  std::vector<std::string> absent;
  std::vector<std::string> old;
  std::size_t ours = 0;
  for (const api::Resource* kind : control::operated_kinds()) {
    const std::string name = kind->qualified_name();
    const auto wish = wishes.find(name);
    if (wish != wishes.end() && wish->second == control::Wish::kOff) continue;
    const auto live = std::ranges::find_if(
        crds, [&](const json::Document& crd) { return crd.string_at("metadata", "name") == name; });
    if (live == crds.end()) {
      absent.push_back(name);
    } else if (is_ours(*live)) {
      ++ours;
      if (!is_current(*live)) old.push_back(name);
    } else {
      const Decision decision = decide(api::crd(*kind), &*live, {.wishes = wishes});
      const bool runs = decision.why.find("its jobs run") != std::string::npos;
      findings.push_back({"kind", runs ? Health::kGood : Health::kBad, fmt::format("{} {}", name, decision.why),
                          fmt::format("muster install --adopt {}, or leave the kind out: --kinds {}=off", name, name)});
    }
  }
  if (!absent.empty()) {
    const bool before = stage == Stage::kBefore;
    findings.insert(findings.begin(), {"kinds", before ? Health::kGood : Health::kBad,
                                       before ? counted(absent.size(), "kind") + " will be installed"
                                              : "the cluster lacks " + join(absent, ", "),
                                       "muster install"});
  }
  if (!old.empty()) {
    findings.insert(findings.begin(), {"kinds", stage == Stage::kBefore ? Health::kGood : Health::kBad,
                                       "older than this program: " + join(old, ", "), "muster install"});
  }
  if (ours > 0) findings.insert(findings.begin(), {"kinds", Health::kGood, counted(ours, "kind") + " of Muster"});
  return findings;
}

Check others_finding(const std::map<std::string, std::string>& operators) {
  std::map<std::string, std::vector<std::string>> kinds;
  std::vector<std::string> all;
  for (const auto& [kind, who] : operators) {
    if (!who.empty()) kinds[who].push_back(kind), all.push_back(kind + "=off");
  }
  if (kinds.empty()) return {"others", Health::kGood, "no other operator runs a kind of Muster's"};
  std::vector<std::string> lines;
  for (const auto& [who, names] : kinds) lines.push_back(fmt::format("{} runs {}", who, join(names, ", ")));
  return {"others", Health::kAbsent, join(lines, "; ") + "; Muster leaves these kinds to it",
          fmt::format("stop it, or say that you mean it: muster install --kinds {}", join(all, ","))};
}

Check queues_finding(const std::vector<std::string>& groups, const std::vector<std::string>& queues) {
  const std::vector<std::pair<const char*, const char*>> known = {
      {"kueue.x-k8s.io", "Kueue"}, {"scheduling.volcano.sh", "Volcano"}, {"scheduling.x-k8s.io", "scheduler-plugins"}};
  std::vector<std::string> found;
  for (const auto& [group, name] : known) {
    if (std::ranges::find(groups, group) != groups.end()) found.emplace_back(name);
  }
  if (found.empty()) return {"gangs", Health::kAbsent, "no Kueue, Volcano or scheduler-plugins: plain pods"};
  std::string text = join(found, ", ");
  if (!queues.empty()) text += "; LocalQueue default in " + join(queues, ", ");
  return {"gangs", Health::kGood, text};
}

Check installer_finding(const Answers& answers) {
  if (!answers.is_known) return {"rights", Health::kAbsent, "unknown: the server does not say what you may do"};
  if (answers.denied.empty()) return {"rights", Health::kGood, "you may install Muster"};
  return {"rights", Health::kBad, "you may not " + join(answers.denied, ", "),
          "ask a cluster administrator to run it, or install for your namespaces only:\n"
          "muster install -n TEAM --namespaces TEAM --crds=false"};
}

std::vector<Check> operator_rights_findings(const Answers& answers, const Answers& secrets) {
  std::vector<Check> findings;
  if (!answers.is_known) {
    return {{"rights", Health::kAbsent, "unknown: you may not ask what the operator may do",
             "ask somebody who may create subjectaccessreviews"}};
  }
  if (answers.denied.empty()) {
    findings.push_back({"rights", Health::kGood, "the operator has all the rights that it needs"});
  } else {
    findings.push_back(
        {"rights", Health::kBad, "the operator may not " + join(answers.denied, ", "), "muster install"});
  }
  if (!secrets.denied.empty()) {
    findings.push_back({"secrets", Health::kAbsent,
                        "the operator may not " + join(secrets.denied, ", ") + ": Notebooks do not run",
                        "muster install --secrets"});
  }
  return findings;
}

Check deployment_finding(const std::optional<json::Document>& deployment, const std::vector<std::string>& causes,
                         const Settings& settings) {
  if (!deployment) {
    return {"operator", Health::kBad, fmt::format("there is no Deployment {} in {}", kName, settings.ns),
            install_command(settings) + ", or name its namespace with -n"};
  }
  const std::int64_t wanted = deployment->int_at("spec", "replicas");
  const std::int64_t available = deployment->int_at("status", "availableReplicas");
  const std::string count = fmt::format("{} of {} available in {}", available, wanted, settings.ns);
  if (wanted > 0 && available >= wanted) return {"operator", Health::kGood, count};
  const std::string scale = fmt::format("kubectl -n {} scale deployment {} --replicas 1", settings.ns, kName);
  if (wanted == 0) return {"operator", Health::kBad, "is scaled to 0 replicas", scale};
  return {"operator", Health::kBad, causes.empty() ? count : count + ": " + join(causes, "; "),
          fmt::format("kubectl -n {} describe pods -l app.kubernetes.io/name=muster", settings.ns)};
}

Check version_finding(const json::Document& deployment) {
  const std::string& installed = deployment.string_at("metadata", "labels", "app.kubernetes.io/version");
  if (installed == version()) return {"version", Health::kGood, installed};
  return {"version", Health::kAbsent, fmt::format("the operator is {}, this program {}", installed, version()),
          "muster install, or use the program of the operator's version"};
}

Check lease_finding(const std::optional<json::Document>& lease, Time now, const Settings& settings) {
  const std::string logs = fmt::format("kubectl -n {} logs deployment/{}", settings.ns, kName);
  if (!lease) return {"lease", Health::kBad, "no operator has taken the Lease yet", logs};
  const std::string& holder = lease->string_at("spec", "holderIdentity");
  if (control::is_renewed(*lease, now)) return {"lease", Health::kGood, "held by " + holder};
  if (holder.empty()) return {"lease", Health::kBad, "no operator holds the Lease", logs};
  return {"lease", Health::kBad,
          fmt::format("{} has not renewed the Lease since {}", holder, lease->string_at("spec", "renewTime")), logs};
}

void read_settings(const json::Document& deployment, Settings& settings) {
  settings.replicas = static_cast<int>(deployment.int_at("spec", "replicas"));
  const auto items = [](std::string_view list) { return split(std::string(list), ','); };
  constexpr std::string_view kKinds = "--kinds=";
  constexpr std::string_view kNamespaces = "--namespaces=";
  for (const json::Document& container : deployment.array_at("spec", "template", "spec", "containers")) {
    for (const json::Document& arg : container.array_at("args")) {
      const std::string_view text = arg.is_string() ? std::string_view(arg.as_string()) : "";
      if (text.starts_with(kKinds)) settings.kinds = items(text.substr(kKinds.size()));
      if (text.starts_with(kNamespaces)) settings.namespaces = items(text.substr(kNamespaces.size()));
    }
  }
}

}  // namespace muster::install
