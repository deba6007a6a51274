#include "cli/run/variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "api/muster/names.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::array kTakenAlong = {"PYTHONPATH", "HF_ENDPOINT", "HF_HOME",  "TORCH_HOME",
                                    "http_proxy", "https_proxy", "no_proxy", "all_proxy",
                                    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"};

std::optional<std::string> of_shell(const RunFrom& from, const std::string& name) {
  const auto found = from.variables.find(name);
  return found == from.variables.end() ? std::nullopt : std::optional(found->second);
}

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && !is_digit(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

std::string as_it_is(const std::string& value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '$' && i + 1 < value.size() && value[i + 1] == '(') out += '$';
    out += value[i];
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> path_variables(const RunFrom& from) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* name : {"HF_HOME", "TORCH_HOME"}) {
    const auto value = of_shell(from, name);
    if (value && !value->empty()) out.emplace_back(name, *value);
  }
  return out;
}

void add_shell_variables(JobOfScript& to, const RunFrom& from) {
  for (const auto& [name, value] : from.variables) {
    const bool is_taken = std::ranges::find(kTakenAlong, name) != kTakenAlong.end() || name.starts_with("PIP_");
    if (is_taken && !value.empty()) to.set_variable(name, as_it_is(value));
  }
}

void add_local_ranks(JobOfScript& to, const RunFrom& from) {
  to.set_variable("LOCAL_RANK", "$(RANK)");
  to.set_variable("LOCAL_WORLD_SIZE", "$(WORLD_SIZE)");
  to.set_variable("GROUP_RANK", "0");
  to.set_variable("NODE_RANK", "0");
  to.set_variable("GROUP_WORLD_SIZE", "1");
  to.set_variable("ROLE_NAME", "default");
  to.set_variable("ROLE_RANK", "$(RANK)");
  to.set_variable("ROLE_WORLD_SIZE", "$(WORLD_SIZE)");
  to.set_variable("TORCHELASTIC_MAX_RESTARTS", std::to_string(to.restarts));
  const std::string attempt = fmt::format("metadata.labels['{}']", api::kAttemptLabel);
  to.set_variable("TORCHELASTIC_RESTART_COUNT", json::Object{{"fieldRef", json::Object{{"fieldPath", attempt}}}});
  // torch.distributed.is_torchelastic_launched(), by which Lightning knows that each rank has a process already.
  to.set_variable("TORCHELASTIC_RUN_ID", "muster");
  const auto threads = of_shell(from, "OMP_NUM_THREADS");
  if (threads && !threads->empty()) {
    to.set_variable("OMP_NUM_THREADS", as_it_is(*threads));
  } else if (to.ranks > 1) {
    // Every rank would otherwise start a thread for each processor.
    to.set_variable("OMP_NUM_THREADS", "1");
  }
}

std::optional<Failure> read_variables(const std::vector<std::string>& given, const std::string& flag,
                                      const RunFrom& from, std::vector<Variable>& to) {
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    Variable variable{.name = text.substr(0, equals), .value = {}, .is_of_shell = false};
    if (!is_variable_name(variable.name)) {
      return usage_failure(fmt::format("--{}: must be NAME=VALUE or the NAME of a variable of your shell, got {}", flag,
                                       flag == "secret" ? quote(variable.name) : quote(text)));
    }
    if (equals != std::string::npos) {
      variable.value = text.substr(equals + 1);
    } else if (const auto value = of_shell(from, variable.name)) {
      variable.value = *value;
      variable.is_of_shell = true;
    } else {
      return usage_failure(fmt::format("--{}: {} is not set in your shell", flag, variable.name),
                           fmt::format("export {0}=…   or: --{1} {0}=…", variable.name, flag));
    }
    to.push_back(std::move(variable));
  }
  return std::nullopt;
}

}  // namespace muster::cli
