#include "apiserver/http/body.h"

#include <fmt/core.h>

#include <set>

#include "apiserver/errors/status_error.h"
#include "apiserver/http/write_parameters.h"
#include "apiserver/protobuf/body.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace muster::apiserver {

using json::Document;

namespace {

Result<Document> parse_noting_repeated(std::string_view text, std::string_view context,
                                       std::vector<std::string>& repeated) {
  std::vector<std::string> paths;
  TRY_ASSIGN(Document document, json::parse(text, paths));
  std::set<std::string> known;
  for (const std::string& path : paths) {
    if (known.insert(path).second) repeated.push_back(fmt::format("{}duplicate field \"{}\"", context, path));
  }
  return document;
}

Result<Document> parse_object(const net::Request& http, const std::string& type, std::vector<std::string>& repeated) {
  if (type == "application/yaml") {
    TRY_ASSIGN(auto documents, json::parse_yaml_leniently(http.body));
    if (documents.size() != 1) {
      return bad_request(fmt::format("body: must hold one YAML document, got {}", documents.size()));
    }
    repeated = std::move(documents[0].warnings);
    return std::move(documents[0].value);
  }
  if (type == protobuf::kContentType) return protobuf::decode_body(http.body);
  if (!type.empty() && type != "application/json") {
    return unsupported_media_type("application/json, application/yaml, " + std::string(protobuf::kContentType));
  }
  return parse_noting_repeated(http.body, "", repeated);
}

/// JSON is valid YAML, but the JSON parser is faster, and most clients send JSON.
Result<Document> parse_applied(const std::string& text, std::vector<std::string>& repeated) {
  if (text.starts_with('{')) {
    if (auto parsed = json::parse(text)) return parsed;
  }
  auto documents = json::parse_yaml_leniently(text);
  if (!documents) return bad_request("error decoding YAML: " + documents.error().message);
  if (documents->size() != 1) {
    return bad_request(fmt::format("error decoding YAML: must hold one document, got {}", documents->size()));
  }
  repeated = std::move((*documents)[0].warnings);
  return std::move((*documents)[0].value);
}

Result<Document> parse(const net::Request& http, std::vector<std::string>& repeated) {
  const std::string_view header = http.headers.get("Content-Type");
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  if (http.method != "PATCH") return parse_object(http, type, repeated);
  if (is_apply(http)) return parse_applied(http.body, repeated);
  auto patch = parse_noting_repeated(http.body, type == "application/json-patch+json" ? "json patch " : "", repeated);
  if (!patch) return bad_request("error decoding patch: " + patch.error().message);
  return patch;
}

}  // namespace

Body parse_body(const net::Request& http) {
  std::vector<std::string> repeated;
  auto value = parse(http, repeated);
  return {.value = std::move(value), .repeated = std::move(repeated)};
}

Result<Document> read_body(const ResourceRequest& request, const net::Request& http,
                           std::vector<std::string>& repeated) {
  Body body = request.body ? std::move(*request.body) : parse_body(http);
  repeated = std::move(body.repeated);
  return std::move(body.value);
}

Result<Document> read_small_body(const net::Request& http, std::vector<std::string>& repeated) {
  if (http.body.size() > kLargeBody) {
    Error error;
    error.reason = Reason::kRequestEntityTooLarge;
    error.message = fmt::format("body: must be at most {} bytes, got {}", kLargeBody, http.body.size());
    return error;
  }
  Body body = parse_body(http);
  repeated = std::move(body.repeated);
  return std::move(body.value);
}

}  // namespace muster::apiserver
