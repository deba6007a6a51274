// OpenAPI v3 documents, one per group and version, derived from the descriptors: what `kubectl explain` shows and by
// which kubectl decides how to validate.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace muster::apiserver {

class OpenApi {
 public:
  /// /openapi/v3: the list of documents with the hash of each.
  const std::string& index();
  /// `path` as in the index: "api/v1", "apis/kubeflow.org/v1". Null pointer when there is none.
  const std::string* document(const std::string& path);

 private:
  void build();

  std::map<std::string, std::string> documents_;
  std::string index_;
};

}  // namespace muster::apiserver
