// Kinds as users type them and as manifests name them: from our own table first, then from the server's discovery.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "cli/connect/session.h"

namespace muster::cli {

struct ServedKind {
  client::ResourceName resource;
  std::string kind;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;

  std::string api_version() const;
  /// Returns what is printed before "/NAME": "pod", "pytorchjob.kubeflow.org".
  std::string label() const;
  /// Returns what users type: "pj", "pod".
  std::string short_label() const;
};

/// Returns the kind as our own table defines it.
ServedKind kind_of(const api::Resource& resource);

/// Returns the kinds of jobs, each once, in its storage version. Users type `jobs` for all of them.
std::vector<ServedKind> job_kinds();

/// One object, or all objects of a kind when the name is "".
struct Wanted {
  ServedKind kind;
  std::string name;
};

/// BadRequest for what cannot be the name of an object.
Status check_name(const std::string& name);

class Kinds {
 public:
  explicit Kinds(Session& session) : session_(session) {}

  /// Accepts a plural, singular, short name or kind, each with or without ".group". NotFound carries a suggestion.
  Result<ServedKind> typed(const std::string& word);
  Result<ServedKind> of_manifest(const std::string& api_version, const std::string& kind);
  /// Accepts `pods`, `pods a b`, `pod/a pj/b`, `pods,pj`, `all`, and `jobs`, which are those of all kinds. A name that
  /// kinds of jobs share, such as `mpijobs`, stands for all of these kinds. Words are names of jobs unless the first is
  /// a type.
  Result<std::vector<Wanted>> wanted(const std::vector<std::string>& words);
  /// Whether the word stands for jobs of all kinds.
  bool means_any_job(const std::string& word);

 private:
  Result<std::vector<ServedKind>> typed_list(const std::string& words);
  Result<std::vector<Wanted>> jobs_named(const std::vector<std::string>& names, const Error& no_type);
  Error unknown_name(const std::string& name, Error error);
  /// The kinds of jobs that a word without a group stands for, if they are several; else none.
  std::vector<ServedKind> several_job_kinds(const std::string& word);
  Status add_jobs_named(const std::string& name, std::vector<ServedKind> kinds, std::vector<Wanted>& to);
  /// The same for a name after a type, which must mean one job unless the type is `jobs`.
  Status add_typed(const std::string& type, const std::string& name, std::vector<ServedKind> kinds,
                   std::vector<Wanted>& to);
  Result<const std::vector<ServedKind>*> discovered();
  Result<std::vector<ServedKind>> read_group(const std::string& group_version);
  Error unknown(const std::string& word);

  Session& session_;
  std::optional<std::vector<ServedKind>> discovered_;
};

}  // namespace muster::cli
