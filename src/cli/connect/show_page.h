// How a command shows a page that only the API server can reach.
#pragma once

#include <functional>
#include <string>

namespace muster::cli {

class Session;

/// A page that the API server passes on, for the browser of this machine.
struct PageToShow {
  std::string path;  // on the server, with its last slash
  int port = 0;      // here; 0 takes a free one
  bool open = true;  // in the browser of a desktop
};

/// Shows a page until Ctrl-C and returns the exit code. Only main has something that listens.
using ShowPage = std::function<int(Session&, const PageToShow&)>;

}  // namespace muster::cli
