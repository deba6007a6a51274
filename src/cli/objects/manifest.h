// Manifests: the files named by `-f`, read and parsed. The position of every field is kept, so that every error, also
// one from the server, points into the user's own file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/connect/session.h"
#include "json/yaml.h"

namespace muster::cli {

/// One file as it was read, shared by the documents in it.
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
  /// Returns the position of a field, or of its nearest ancestor that is in the file.
  json::Mark mark_of(std::string_view field) const;
};

/// An error at a position in a file.
struct Finding {
  json::Mark mark;
  std::string text;
};

/// Returns all documents of all files in order; each item of a `kind: List` counts as a document. A path is a file, a
/// folder (its .yaml, .yml and .json files) or "-" for stdin. Everything is read before the first write, so a typo in
/// the last file changes nothing.
std::variant<std::vector<Manifest>, Failure> read_manifests(Session& session, const std::vector<std::string>& paths,
                                                            bool recursive);
/// Returns the documents of one text. Warnings about repeated keys go to stderr.
std::variant<std::vector<Manifest>, Failure> parse_manifests(std::shared_ptr<const Source> source, Session& session);

/// Returns "error: job.yaml:12:7: …" with the line and a caret, for each finding.
Failure failure_at(const Source& source, const std::vector<Finding>& findings);
/// Merges several failures into one, with the exit code of the first.
Failure together(const std::vector<Failure>& failures);
/// Returns the server's error about this manifest, with its causes shown in the file.
Failure refused(const Manifest& manifest, const Error& error);

}  // namespace muster::cli
