// What apply, create and delete -f share: manifests made into named objects on the server.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/connect/kinds.h"
#include "cli/flags.h"
#include "cli/objects/manifest.h"
#include "cli/output/output.h"

namespace muster::cli {

/// A manifest with its kind and the namespace it goes to.
struct Placed {
  Manifest manifest;
  Kind kind;
  std::string ns;

  client::ObjectName object() const { return {kind.resource, ns, manifest.name()}; }
  /// "pytorchjob.kubeflow.org/mnist"
  std::string label() const { return kind.label() + "/" + manifest.name(); }
};

/// Reads everything, finds every kind and namespace; nothing is written when anything is wrong. A manifest that names
/// another namespace than the flag is refused.
std::variant<std::vector<Placed>, Failure> place_manifests(Session& session, const std::vector<std::string>& files,
                                                           bool recursive);

/// True for words that people mean after -f: with a dot or slash, or a name that is there.
bool looks_like_file(const std::string& word);

/// The flags of apply and create, and what they do around the write itself.
class WriteObjects {
 public:
  void add_flags(Flags& flags);
  /// Places the manifests and runs `write` on each, going on after failures. The code of the first failure.
  int run(Session& session, const std::string& field_manager, const std::vector<std::string>& words,
          const std::function<int(Placed&)>& write);

  /// The same for one object that no file holds.
  int run_on(Session& session, const std::string& field_manager, Placed placed,
             const std::function<int(Placed&)>& write);

  const client::WriteOptions& options() const { return options_; }
  /// Prints what became of it: "NAME created", the object as -o says, or what the server had against it.
  int report(Session& session, const Placed& placed, const Result<json::Document>& result, std::string_view done) const;

 private:
  /// What is wrong with the flags; sets output_ and options_.
  Status read_flags(const std::string& field_manager);

  std::vector<std::string> files_;
  bool recursive_ = false;
  std::string dry_run_ = "none";
  std::string output_text_;
  std::string validate_ = "strict";
  Output output_;
  client::WriteOptions options_;
};

}  // namespace muster::cli
