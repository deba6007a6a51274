// The few variables of the environment that the command line heeds, read in one place so that all else gets them as
// values.
#pragma once

#include <string>

namespace muster::cli {

struct Environment {
  std::string kubeconfig;  // $KUBECONFIG
  std::string home;        // $HOME
  std::string data_dir;    // $MUSTER_DATA_DIR, $XDG_DATA_HOME/muster or ~/.local/share/muster
  bool no_color = false;   // $NO_COLOR is set to anything
};

Environment read_environment();

}  // namespace muster::cli
