// The body of a request as a Document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

/// Reads the body as JSON, YAML or Kubernetes protobuf; UnsupportedMediaType for others. The last value of a repeated
/// field wins, and `repeated` gets the text for a warning or an error: `duplicate field "data.a"`.
Result<json::Document> read_body(const net::Request& http, std::vector<std::string>& repeated);
/// The same for a JSON text; `context` is put before each entry of `repeated`.
Result<json::Document> parse_noting_repeated(std::string_view text, std::string_view context,
                                             std::vector<std::string>& repeated);

}  // namespace muster::apiserver
