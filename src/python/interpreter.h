// A Python interpreter of this machine: which environment it belongs to, where its packages are, and which folders it
// needs to start. All of this is read from files, because starting an interpreter takes longer than a whole command.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace muster::python {

struct Interpreter {
  std::string program;      // as a user starts it: /p/.venv/bin/python
  std::string environment;  // the virtual or conda environment that it belongs to; "": none
  std::string user_base;    // ~/.local when packages that `pip install --user` put there are found; "": none
  /// Where its packages are, in the order in which it looks for them.
  std::vector<std::string> package_folders;
  /// The folders without which it does not start or does not find its packages, also those that every pod sees. None
  /// lies in another one.
  std::vector<std::string> folders;
};

/// Reads an interpreter. `home` is the user's home folder. An error if the program does not exist, is a dangling link,
/// is not a program of this machine's architecture, or is a script that only looks for an interpreter (is_script).
Result<Interpreter> read_interpreter(const std::string& program, const std::string& home);

/// True for programs such as the shims of pyenv and asdf, which look for an interpreter when they are started.
bool is_script(const std::string& program);

/// Whether `import module` finds something in the packages of the interpreter.
bool has_module(const Interpreter& interpreter, const std::string& module);

/// Returns the version of a package as its metadata has it; "" if it is not installed.
std::string package_version(const Interpreter& interpreter, const std::string& package);

}  // namespace muster::python
