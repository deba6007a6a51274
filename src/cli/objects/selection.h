// The objects that a command acts on: given by name, by file, by label selector, or all of a kind.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/connect/kinds.h"
#include "cli/flags/flags.h"

namespace muster::cli {

struct Selected {
  ServedKind kind;
  std::string ns;
  std::string name;
  bool named = true;  // false: found by a selector, so it may disappear meanwhile without an error

  client::ObjectName object() const { return {kind.resource, ns, name}; }
  /// "pytorchjob.kubeflow.org/mnist"
  std::string label() const { return kind.label() + "/" + name; }
  /// Returns "pj/mnist", for commands that users copy.
  std::string short_label() const { return kind.short_label() + "/" + name; }
};

/// A BadRequest in response to a request with selectors can only be about them: returns the error with the name of the
/// flag.
Error about_selectors(Error error, const std::string& labels, const std::string& fields);

class Selection {
 public:
  void add_flags(Flags& flags);
  /// A kind without names selects all of its objects, as --all does.
  void let_kind_mean_all() { kind_means_all_ = true; }
  /// For commands that accept -f but no selectors.
  void take_files(std::vector<std::string> files, bool recursive) {
    files_ = std::move(files);
    recursive_ = recursive;
  }
  /// `example` is the fix to show when nothing was selected. Returns an empty list when a selector matches nothing.
  std::variant<std::vector<Selected>, Failure> collect(Session& session, const std::vector<std::string>& words,
                                                       const std::string& example) const;

 private:
  std::vector<std::string> files_;
  bool recursive_ = false;
  std::string selector_;
  std::string field_selector_;
  bool all_ = false;
  bool kind_means_all_ = false;
  bool all_namespaces_ = false;
};

}  // namespace muster::cli
