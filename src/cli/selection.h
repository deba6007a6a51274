// Which objects a command is about when it acts on each of them: named in words, by files, by labels or all of a kind.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/flags.h"
#include "cli/kinds.h"

namespace muster::cli {

struct Selected {
  Kind kind;
  std::string ns;
  std::string name;
  bool named = true;  // by the user; one found by a selector may go by itself meanwhile

  client::ObjectName object() const { return {kind.resource, ns, name}; }
  /// "pytorchjob.kubeflow.org/mnist"
  std::string label() const { return kind.label() + "/" + name; }
  /// "pj/mnist", for commands to copy.
  std::string short_label() const { return kind.short_label() + "/" + name; }
};

/// What the server said about a request with these selectors: a BadRequest can only be about them, so it names the
/// flag.
Error about_selectors(Error error, const std::string& labels, const std::string& fields);

class Selection {
 public:
  void add_flags(Flags& flags);
  /// As if --all were given, unless something narrower is.
  void take_all() { all_ = files_.empty(); }
  /// For commands that take -f but no selectors.
  void take_files(std::vector<std::string> files, bool recursive) {
    files_ = std::move(files);
    recursive_ = recursive;
  }
  /// `example` is the fix to show when nothing was named. Empty when a selector matches nothing.
  std::variant<std::vector<Selected>, Failure> collect(Session& session, const std::vector<std::string>& words,
                                                       const std::string& example) const;

 private:
  std::vector<std::string> files_;
  bool recursive_ = false;
  std::string selector_;
  std::string field_selector_;
  bool all_ = false;
  bool all_namespaces_ = false;
};

}  // namespace muster::cli
