// Manifests: what `-f` names, read and parsed, with the place of every field kept so that what is wrong, whoever finds
// it, is shown in the user's own file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/session.h"
#include "json/yaml.h"

namespace muster::cli {

/// One file as it was read; shared by the documents in it.
struct Source {
  std::string name;  // as the user typed it; "stdin" for "-"
  std::string text;
};

struct Manifest {
  std::shared_ptr<const Source> source;
  json::Document value;
  std::map<std::string, json::Mark> marks;

  std::string api_version() const { return value.string_at("apiVersion"); }
  std::string kind() const { return value.string_at("kind"); }
  std::string name() const { return value.string_at("metadata", "name"); }
  std::string ns() const { return value.string_at("metadata", "namespace"); }
  /// Where a field stands, or the nearest one around it.
  json::Mark mark_of(std::string_view field) const;
};

/// A problem at a place of a file.
struct Finding {
  json::Mark mark;
  std::string text;
};

/// All documents of all files in order; the items of a `kind: List` each as one. Files, folders (their .yaml, .yml and
/// .json), "-" for stdin. Everything is read before anything is done, so a typo in the last file changes nothing.
std::variant<std::vector<Manifest>, Failure> read_manifests(Session& session, const std::vector<std::string>& paths,
                                                            bool recursive);
/// The documents of one text. Warnings (repeated keys) go to stderr.
std::variant<std::vector<Manifest>, Failure> parse_manifests(std::shared_ptr<const Source> source, Session& session);

/// "error: job.yaml:12:7: …" with the line and a caret, for each finding.
Failure failure_at(const Source& source, const std::vector<Finding>& findings);
/// Several failures told as one, with the code of the first.
Failure together(const std::vector<Failure>& failures);
/// What the server said about this manifest, with its causes shown in the file.
Failure refused(const Manifest& manifest, const Error& error);

}  // namespace muster::cli
