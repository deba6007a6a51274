// The body of a request as a Document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

/// A body that is larger is read off the loop, or refused where no request needs so much.
inline constexpr std::size_t kLargeBody = 64u << 10;

/// A body, read. The last value of a repeated field wins, and `repeated` gets the text for a warning or an error:
/// `duplicate field "data.a"`.
struct Body {
  Result<json::Document> value;
  std::vector<std::string> repeated;
};

/// Reads the body by its Content-Type: objects in JSON, YAML or Kubernetes protobuf, patches in JSON, and what
/// server-side apply takes, JSON or YAML. UnsupportedMediaType for others. Runs on any thread.
Body parse_body(const net::Request& http);

/// Returns the body of a request, which may have been read before.
Result<json::Document> read_body(const ResourceRequest& request, const net::Request& http,
                                 std::vector<std::string>& repeated);
/// The same where a body has a few members at most: RequestEntityTooLarge for a large one.
Result<json::Document> read_small_body(const net::Request& http, std::vector<std::string>& repeated);

}  // namespace muster::apiserver
