// What apply, create and delete -f share: finding the kind and namespace of each manifest, and writing the objects.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "cli/connect/kinds.h"
#include "cli/flags/flags.h"
#include "cli/objects/manifest.h"
#include "cli/output/output.h"

namespace muster::cli {

/// A manifest with its kind and target namespace.
struct Placed {
  Manifest manifest;
  ServedKind kind;
  std::string ns;

  client::ObjectName object() const { return {kind.resource, ns, manifest.name()}; }
  /// "pytorchjob.kubeflow.org/mnist"
  std::string label() const { return kind.label() + "/" + manifest.name(); }
};

/// Reads all manifests and finds their kinds and namespaces, so that nothing is written when one of them is invalid.
/// Rejects a manifest whose namespace differs from that of the flag.
std::variant<std::vector<Placed>, Failure> place_manifests(Session& session, const std::vector<std::string>& files,
                                                           bool recursive);

/// Whether the user probably forgot -f: the word contains a dot or slash, or a file of that name exists.
bool looks_like_file(const std::string& word);

/// The flags of apply and create, and the steps that both share before and after the write.
class WriteObjects {
 public:
  void add_flags(Flags& flags);
  /// Calls `write` for each manifest and continues after failures. Returns the exit code of the first failure.
  int run(Session& session, const std::string& field_manager, const std::vector<std::string>& words,
          const std::function<int(Placed&)>& write);

  /// Does the same for one object that does not come from a file.
  int run_on(Session& session, const std::string& field_manager, Placed placed,
             const std::function<int(Placed&)>& write);

  const client::WriteOptions& options() const { return options_; }
  /// Prints the result: "NAME created", the object in the format of -o, or the server's error.
  int report(Session& session, const Placed& placed, const Result<json::Document>& result, std::string_view done) const;

 private:
  /// Sets output_ and options_, or returns what is wrong with the flags.
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
