// The environment variables that the command line honours. They are read in one place; all other code receives them as
// values.
#pragma once

#include <map>
#include <string>

namespace muster::cli {

struct Environment {
  std::string kubeconfig = {};          // $KUBECONFIG
  std::string home = {};                // $HOME
  std::string data_dir = {};            // $MUSTER_DATA_DIR, $XDG_DATA_HOME/muster or ~/.local/share/muster
  std::string config_dir = {};          // $XDG_CONFIG_HOME/muster or ~/.config/muster
  std::string editor = {};              // $KUBE_EDITOR, $EDITOR or vi
  std::string python_environment = {};  // $VIRTUAL_ENV or $CONDA_PREFIX: the active one
  std::string path = {};                // $PATH
  bool no_color = false;                // $NO_COLOR is set, to any value
  bool has_display = false;             // $DISPLAY or $WAYLAND_DISPLAY is set: this is a desktop
  // Only for the command line of Arena.
  std::string arena_config = {};      // $ARENA_CONFIG or ~/.arena/config
  std::string arena_layout = {};      // $ARENA_LAYOUT: classic or modern; "": as -o says
  std::string arena_log_format = {};  // $ARENA_LOG_FORMAT: logrus or ""

  /// The kubeconfig of the user's clusters.
  std::string user_kubeconfig() const { return home + "/.kube/config"; }
  /// The kubeconfig that the engine writes for kubectl and other clients.
  std::string engine_kubeconfig() const { return data_dir + "/kubeconfig"; }
  std::string engine_socket() const { return data_dir + "/api.sock"; }
  /// The file in which `muster use` saves its choice.
  std::string kept_choice() const { return config_dir + "/use"; }
};

Environment read_environment();

/// All variables of this process, for a command that takes some of them along.
std::map<std::string, std::string> all_variables();

}  // namespace muster::cli
