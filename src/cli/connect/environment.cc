#include "cli/connect/environment.h"

#include <unistd.h>

#include <cstdlib>

namespace muster::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Environment read_environment() {
  Environment out;
  out.kubeconfig = variable("KUBECONFIG");
  out.home = variable("HOME");
  out.no_color = !variable("NO_COLOR").empty();
  out.has_display = !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
  out.data_dir = variable("MUSTER_DATA_DIR");
  if (out.data_dir.empty()) {
    const std::string xdg = variable("XDG_DATA_HOME");
    out.data_dir = (xdg.empty() ? out.home + "/.local/share" : xdg) + "/muster";
  }
  const std::string xdg_config = variable("XDG_CONFIG_HOME");
  out.config_dir = (xdg_config.empty() ? out.home + "/.config" : xdg_config) + "/muster";
  out.editor = variable("KUBE_EDITOR");
  if (out.editor.empty()) out.editor = variable("EDITOR");
  if (out.editor.empty()) out.editor = "vi";
  out.python_environment = variable("VIRTUAL_ENV");
  if (out.python_environment.empty()) out.python_environment = variable("CONDA_PREFIX");
  out.path = variable("PATH");
  out.arena_config = variable("ARENA_CONFIG");
  if (out.arena_config.empty()) out.arena_config = out.home + "/.arena/config";
  out.arena_layout = variable("ARENA_LAYOUT");
  out.arena_log_format = variable("ARENA_LOG_FORMAT");
  return out;
}

std::map<std::string, std::string> all_variables() {
  std::map<std::string, std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace muster::cli
