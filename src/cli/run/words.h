// What the words after the flags of `muster run` mean: a script, a module or a program.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/run/run_from.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

/// What a job runs, before it is known which Python that is.
struct RunCommand {
  std::vector<std::string> words;  // the program and its arguments, with `python` for a Python to be chosen
  std::string prefix;              // of the job's name
  std::string start;               // the folder in which the search for a Python begins
  std::string script = {};         // the whole path of the file that runs; "": a module or a program
  bool runs_python = false;        // and not another program
  std::string python = {};         // the interpreter that the words name; "": it is chosen
  std::string interpreter = {};  // what runs a script, where only the user's PATH has it and it is not a Python; or ""
  std::string launcher = {};     // the program or module that starts the ranks itself; "": none
};

/// Looks for the script before anything starts. `module` is the value of -m; `project` the folder that the job sees.
std::variant<RunCommand, Failure> read_run_words(const std::vector<std::string>& words, const std::string& module,
                                                 const RunFrom& from, const std::string& project);

/// Returns how the user names the file of the folder that the word probably means; "" when there is none.
std::string file_meant_by(const std::string& word, const RunFrom& from);

/// Returns `text` as part of an object's name: "Train_v2.py" gives "train-v2".
std::string name_from(const std::string& file);

}  // namespace muster::cli
