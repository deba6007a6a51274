#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "control/job/launch_parts.h"

namespace muster::control {

namespace {

/// Returns what is between `before` and `after` in a text of that form.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
  if (text.size() < before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after)) {
    return std::nullopt;
  }
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

class GenericVariables {
 public:
  GenericVariables(const Job& job, const Replica& replica, int port) : job_(job), replica_(replica), port_(port) {}

  std::string replaced_in(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const std::size_t plain = std::min(text.find('$'), text.size());
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      if (!text.empty()) text.remove_prefix(take(text, out));
    }
    return out;
  }

 private:
  /// Appends what replaces the beginning of the text, which is a dollar sign, and returns how much of it that is.
  std::size_t take(std::string_view text, std::string& out) const {
    if (text.starts_with("$$")) {  // an escape, which is resolved together with those of environment variables
      out += "$$";
      return 2;
    }
    const std::size_t end = text.starts_with("$(") ? text.find(')') : std::string_view::npos;
    const auto value = end == std::string_view::npos ? std::nullopt : value_of(text.substr(2, end - 2));
    out += value.value_or("$");
    return value ? end + 1 : 1;
  }

  std::optional<std::string> value_of(std::string_view name) const {
    if (name == "type") return replica_.role->type;
    if (name == "rank") return std::to_string(replica_.index);
    if (const auto type = between(name, "replicas[", "]")) {
      const Role* role = find_role(*type);
      return role == nullptr ? std::nullopt : std::optional(std::to_string(role->replicas));
    }
    if (job_.shared_ports.empty()) return std::nullopt;  // it has no service
    if (const auto port = between(name, "service.port[", "]")) return port_named(*port);
    if (const auto host = between(name, "service.", "].host")) return host_named(*host);
    return std::nullopt;
  }

  std::optional<std::string> port_named(std::string_view name) const {
    for (std::size_t i = 0; i < job_.shared_ports.size(); ++i) {
      if (job_.shared_ports[i].name == name) return std::to_string(shared_port(job_, i, port_));
    }
    return std::nullopt;
  }

  /// Of "worker[0".
  std::optional<std::string> host_named(std::string_view text) const {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    const Role* role = find_role(text.substr(0, open));
    const auto index = parse_int(text.substr(open + 1));
    if (role == nullptr || !index || *index < 0 || *index >= role->replicas) return std::nullopt;
    return host_name(job_, *role, static_cast<int>(*index));
  }

  const Role* find_role(std::string_view type) const {
    const auto found = std::ranges::find(job_.roles, type, &Role::type);
    return found == job_.roles.end() ? nullptr : &*found;
  }

  const Job& job_;
  const Replica& replica_;
  int port_;
};

}  // namespace

void replace_variables(const Job& job, const Replica& replica, int port, api::PodSpec& spec) {
  const GenericVariables variables(job, replica, port);
  for (auto* list : {&spec.init_containers, &spec.containers}) {
    for (api::Container& container : *list) {
      for (std::string& word : container.command) word = variables.replaced_in(word);
      for (std::string& word : container.args) word = variables.replaced_in(word);
      for (api::EnvVar& variable : container.env) variable.value = variables.replaced_in(variable.value);
    }
  }
}

}  // namespace muster::control
