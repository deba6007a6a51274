// Which Python runs a user's script: the one that the user would get by typing `python`, if nothing is said.
#pragma once

#include <string>

#include "base/result.h"
#include "python/interpreter.h"

namespace muster::python {

struct Search {
  std::string named = {};  // a program, or the folder of an environment
  std::string named_by = "--python";
  std::string active = {};  // the active environment: $VIRTUAL_ENV or $CONDA_PREFIX
  std::string start = {};   // the folder of the script
  std::string home = {};    // the user's
  std::string path = {};    // the user's PATH
};

struct Choice {
  Interpreter interpreter;
  std::string why;  // "active virtual environment"
};

/// Takes the first of: the named one; the active environment; a `.venv` in the folder of the script or above it, below
/// the home folder; `python` or `python3` in PATH; the machine's own. NotFound when there is none. An environment that
/// is named, active or in `.venv` and cannot be used is an error, because another Python would lack its packages.
Result<Choice> choose_python(const Search& search);

/// Describes the choice: "/p/.venv/bin/python (active virtual environment), torch 2.5.1".
std::string describe(const Choice& choice);

}  // namespace muster::python
