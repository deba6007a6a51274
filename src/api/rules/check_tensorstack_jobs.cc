// Rules for TensorStack's kinds that their descriptors cannot express.
#include <fmt/core.h>

#include <algorithm>

#include "api/rules/checks.h"
#include "api/rules/job_checks.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::child_path;
using reflect::item_path;

/// Checks that a run mode names roles that the job has.
void check_role_names(const json::Document& job, std::string_view mode, std::string_view list,
                      const std::vector<std::string>& roles, Findings& found) {
  const json::Array& items = job.array_at("spec", "runMode", mode, list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string& type = items[i].string_at("type");
    if (type.empty() || contains(roles, type)) continue;
    found.not_supported(fmt::format("spec.runMode.{}.{}[{}].type", mode, list, i), type, roles);
  }
}

/// Checks the roles together: the pods' names are valid, and run modes name existing roles. An elastic role may grow to
/// `grows_to` replicas.
void check_roles(const json::Document& job, const json::Array& replicas, Findings& found, std::int64_t grows_to = 0) {
  check_failure_annotations(job, found);
  std::vector<std::string> roles;
  ReplicaBudget budget;
  for (const json::Document& replica : replicas) {
    const std::string& type = replica.string_at("type");
    roles.push_back(type);
    budget.add(fmt::format("-00000-{}-", type), int_in(&replica, "replicas").value_or(1), grows_to);
  }
  budget.check_total("spec.replicaSpecs", found);
  budget.check_name(job, found);
  check_role_names(job, "debug", "replicaSpecs", roles, found);
  check_role_names(job, "pause", "resumeSpecs", roles, found);
}

const json::Array& replicas_in(const json::Document& job) {
  return job.array_at("spec", "replicaSpecs");
}

void check_elastic(const json::Document& spec, Findings& found) {
  const json::Document* elastic = spec.find("elastic");
  if (!reflect::is_switched_on(spec.find("torchrunConfig"))) {
    found.invalid("spec.elastic.enabled", true, "needs torchrun; set spec.torchrunConfig.enabled to true");
  }
  const auto low = int_in(elastic, "minReplicas");
  const auto high = int_in(elastic, "maxReplicas");
  const auto expected = int_in(elastic, "expectedReplicas");
  if (!low) found.required("spec.elastic.minReplicas", "the job is elastic");
  if (!high) found.required("spec.elastic.maxReplicas", "the job is elastic");
  if (low && high && *high < *low) {
    found.invalid("spec.elastic.maxReplicas", *high, fmt::format("must be at least minReplicas, which is {}", *low));
  }
  if (expected && low && *expected < *low) {
    found.invalid("spec.elastic.expectedReplicas", *expected,
                  fmt::format("must be at least minReplicas, which is {}", *low));
  }
  if (expected && high && *expected > *high) {
    found.invalid("spec.elastic.expectedReplicas", *expected,
                  fmt::format("must be at most maxReplicas, which is {}", *high));
  }
}

/// The program runs in the container with one of these names, or in the only one (with a warning about its name).
void check_program_container(const json::Document& replica, const std::string& path,
                             std::initializer_list<std::string_view> names, Findings& found) {
  if (!check_template(replica, path, found) || has_container(replica, names)) return;
  if (replica.at("template", "spec", "containers")->as_array().size() == 1) return;
  found.required(
      child_path(path, "template.spec.containers"),
      fmt::format("must have a container with name {}, or only one", join({names.begin(), names.end()}, " or ")));
}

void check_with_container(const json::Document& job, std::string_view container, Findings& found) {
  const json::Array& replicas = replicas_in(job);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    check_program_container(replicas[i], item_path("spec.replicaSpecs", i), {container}, found);
  }
  check_roles(job, replicas, found);
}

/// Rejects flags for mpirun that repeat what a field of the oldest form of the spec already sets.
void check_mpi_flags(const json::Document& job, Findings& found) {
  struct Doubled {
    const char* field;
    std::vector<std::string> flags;
  };
  static const std::vector<Doubled> all = {
      {"processesPerWorker", {"-N", "-npernode", "--npernode"}},
      {"processRecovery", {"-enable-recovery", "--enable-recovery", "-max-restarts", "--max-restarts"}}};
  for (const Doubled& doubled : all) {
    if (job.at("spec", "worker", doubled.field) == nullptr) continue;
    for (const auto& [part, list] : {std::pair{"mpiConfig", "extraArgs"}, std::pair{"worker", "extraMPIArgs"}}) {
      const json::Array& words = job.array_at("spec", part, list);
      const auto flag = std::ranges::find_if(words, [&](const json::Document& word) {
        return word.is_string() && contains(doubled.flags, word.as_string());
      });
      if (flag == words.end()) continue;
      found.forbidden(
          fmt::format("spec.worker.{}", doubled.field),
          fmt::format("must not be used with {} in spec.{}.{}, which says the same", flag->as_string(), part, list));
    }
  }
}

void check_generic_rules(const json::Document& job, std::string_view list, Findings& found) {
  const json::Array& rules = job.array_at("spec", list);
  const json::Array& replicas = replicas_in(job);
  std::vector<std::string> roles;
  for (const json::Document& replica : replicas) roles.push_back(replica.string_at("type"));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string path = item_path(child_path("spec", list), i);
    for (const auto& [role, indices] : rules[i].as_object()) {
      const auto known = std::ranges::find(roles, role);
      if (known == roles.end()) {
        found.not_supported(child_path(path, role), role, roles);
        continue;
      }
      const json::Document& replica = replicas[static_cast<std::size_t>(known - roles.begin())];
      const std::int64_t count = int_in(&replica, "replicas").value_or(1);
      for (std::size_t k = 0; k < indices.as_array().size(); ++k) {
        const std::int64_t index = reflect::whole_value(indices.as_array()[k]);
        if (0 <= index && index < count) continue;
        found.invalid(item_path(child_path(path, role), k), index,
                      fmt::format("must be the index of a replica of {}, which has {}", role, count));
      }
    }
  }
}

/// Knows the replicas and ports that $(service.…) can refer to, and finds references to others.
class ServiceVariables {
 public:
  explicit ServiceVariables(const json::Document& job)
      : replicas_(replicas_in(job)), service_(job.at("spec", "service")) {
    for (const json::Document& replica : replicas_) roles_.push_back(replica.string_at("type"));
    for (const json::Document& port : job.array_at("spec", "service", "ports")) {
      ports_.push_back(port.string_at("name"));
    }
  }

  /// Returns what is wrong with the variables in the text; "" when they are valid.
  std::string fault_in(std::string_view text) const {
    constexpr std::string_view kStart = "$(service.";
    for (auto at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
      if (at > 0 && text[at - 1] == '$') continue;  // $$( is an escape, not a variable
      if (service_ == nullptr) return "uses a service variable; set spec.service";
      const std::string_view rest = text.substr(at + kStart.size());
      if (std::string fault = fault_of(rest.substr(0, rest.find(')'))); !fault.empty()) return fault;
    }
    return {};
  }

 private:
  /// Checks "worker[0].host" and "port[http]". Other forms are ignored: they may be environment variables.
  std::string fault_of(std::string_view variable) const {
    const auto open = variable.find('[');
    const auto close = variable.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    const std::string name(variable.substr(0, open));
    const std::string key(variable.substr(open + 1, close - open - 1));
    const std::string_view end = variable.substr(close + 1);
    if (end == ".host") return fault_of_host(name, key);
    if (name != "port" || !end.empty() || std::ranges::find(ports_, key) != ports_.end()) return {};
    return unknown(fmt::format("names the port {}, which spec.service does not have", quote(key)), key, ports_);
  }

  std::string fault_of_host(const std::string& role, const std::string& index) const {
    const auto known = std::ranges::find(roles_, role);
    if (known == roles_.end()) {
      return unknown(fmt::format("names the role {}, which the job does not have", quote(role)), role, roles_);
    }
    const json::Document& replica = replicas_[static_cast<std::size_t>(known - roles_.begin())];
    const std::int64_t count = int_in(&replica, "replicas").value_or(1);
    const auto number = parse_int(index);
    if (number && 0 <= *number && *number < count) return {};
    return fmt::format("names the replica {} of {}, which has {}", index, role, count);
  }

  static std::string unknown(std::string message, const std::string& word, const std::vector<std::string>& names) {
    if (const auto near = did_you_mean(word, names)) message += fmt::format("; did you mean {}?", quote(*near));
    return message;
  }

  const json::Array& replicas_;
  const json::Document* service_;
  std::vector<std::string> roles_;
  std::vector<std::string> ports_;
};

void check_service_variables(const json::Document& container, const std::string& path,
                             const ServiceVariables& variables, Findings& found) {
  const auto check = [&](const json::Document* text, const std::string& where) {
    if (text == nullptr || !text->is_string()) return;
    const std::string fault = variables.fault_in(text->as_string());
    if (!fault.empty()) found.invalid(where, *text, fault);
  };
  for (const char* list : {"command", "args"}) {
    const json::Array& words = container.array_at(list);
    for (std::size_t i = 0; i < words.size(); ++i) check(&words[i], item_path(child_path(path, list), i));
  }
  const json::Array& env = container.array_at("env");
  for (std::size_t i = 0; i < env.size(); ++i) {
    check(env[i].find("value"), child_path(item_path(child_path(path, "env"), i), "value"));
  }
}

}  // namespace

void check_pytorch_training_job(const json::Document& job, Findings& found) {
  const json::Array& replicas = replicas_in(job);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    check_template(replicas[i], item_path("spec.replicaSpecs", i), found);
  }
  const json::Document* elastic = job.at("spec", "elastic");
  const bool is_elastic = reflect::is_switched_on(elastic);
  check_roles(job, replicas, found, is_elastic ? int_in(elastic, "maxReplicas").value_or(0) : 0);
  if (is_elastic) check_elastic(*job.find("spec"), found);
}

void check_tensorflow_training_job(const json::Document& job, Findings& found) {
  check_with_container(job, "tensorflow", found);
}

void check_xgboost_training_job(const json::Document& job, Findings& found) {
  check_with_container(job, "xgboost", found);
}

void check_tensorstack_mpi_job(const json::Document& job, Findings& found) {
  const json::Array& replicas = replicas_in(job);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const std::string path = item_path("spec.replicaSpecs", i);
    if (replicas[i].string_at("type") == "worker") {
      check_program_container(replicas[i], path, {"worker", "mpi-worker"}, found);
    } else if (replicas[i].at("template", "spec") != nullptr) {
      check_template(replicas[i], path, found);  // an empty template is derived from that of the workers
    }
  }
  check_mpi_flags(job, found);
  const json::Document* worker = job.at("spec", "worker");
  if (worker == nullptr) {
    check_roles(job, replicas, found);
    return;
  }
  check_program_container(*worker, "spec.worker", {"worker", "mpi-worker"}, found);
  json::Document as_role = *worker;
  as_role["type"] = "worker";
  check_roles(job, {json::Object{{"type", "launcher"}}, std::move(as_role)}, found);
}

void check_generic_job(const json::Document& job, Findings& found) {
  const ServiceVariables variables(job);
  const json::Array& replicas = replicas_in(job);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const std::string path = item_path("spec.replicaSpecs", i);
    if (!check_template(replicas[i], path, found)) continue;
    const json::Array& containers = replicas[i].at("template", "spec", "containers")->as_array();
    for (std::size_t c = 0; c < containers.size(); ++c) {
      check_service_variables(containers[c], item_path(child_path(path, "template.spec.containers"), c), variables,
                              found);
    }
  }
  check_roles(job, replicas, found);
  check_generic_rules(job, "successRules", found);
  check_generic_rules(job, "failureRules", found);
  if (const json::Document* service = job.at("spec", "service")) {
    check_service_ports(*service, reflect::kRoot.member("spec").member("service"), found);
  }
}

}  // namespace muster::api
