// Kinds as people type them and as manifests name them: our own table first, then what the server says it has.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "cli/session.h"

namespace muster::cli {

struct Kind {
  client::ResourceName resource;
  std::string kind;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;

  std::string api_version() const;
  /// "pod", "pytorchjob.kubeflow.org": what is printed before "/NAME".
  std::string label() const;
  /// "pj", "pod": what people type.
  std::string short_label() const;
};

/// As our own table has it.
Kind kind_of(const api::Resource& resource);

/// One object, or all of a kind when the name is "".
struct Wanted {
  Kind kind;
  std::string name;
};

class Kinds {
 public:
  explicit Kinds(Session& session) : session_(session) {}

  /// Plural, singular, short name or kind, each with or without ".group". NotFound with a suggestion.
  Result<Kind> typed(const std::string& word);
  Result<Kind> of_manifest(const std::string& api_version, const std::string& kind);
  /// `pods`, `pods a b`, `pod/a pj/b`, `pods,pj`, `all`.
  Result<std::vector<Wanted>> wanted(const std::vector<std::string>& words);

 private:
  Result<std::vector<Kind>> typed_list(const std::string& words);
  Result<const std::vector<Kind>*> discovered();
  Result<std::vector<Kind>> read_group(const std::string& group_version);
  Error unknown(const std::string& word);

  Session& session_;
  std::optional<std::vector<Kind>> discovered_;
};

}  // namespace muster::cli
