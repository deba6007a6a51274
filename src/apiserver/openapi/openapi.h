// OpenAPI documents, one of v3 per group and version and one of v2, derived from the descriptors. `kubectl explain`
// shows them, and kubectl decides by them how to validate and how to patch. They are built on first use.
#pragma once

#include <map>
#include <string>

#include "apiserver/http/negotiation.h"
#include "net/http.h"

namespace muster::apiserver {

/// A document in one encoding.
struct OpenApiText {
  net::Bytes body;
  std::string content_type;
  std::string etag;  // with its quotes
};

class OpenApi {
 public:
  /// /openapi/v3: the list of documents with the hash of each.
  const std::string& index();
  /// `path` as in the index: "api/v1", "apis/kubeflow.org/v1". Null when there is no such document.
  const OpenApiText* document(const std::string& path);
  /// /openapi/v2.
  const OpenApiText& v2(OpenApiV2Form form);

 private:
  void build();
  void build_v2();

  std::map<std::string, OpenApiText> documents_;
  std::string index_;
  OpenApiText v2_json_;
  OpenApiText v2_protobuf_;
};

}  // namespace muster::apiserver
