#include "apiserver/http/body.h"

#include <fmt/core.h>

#include <set>

#include "apiserver/errors/status_error.h"
#include "apiserver/protobuf/body.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace muster::apiserver {

using json::Document;

Result<Document> read_body(const net::Request& http, std::vector<std::string>& repeated) {
  const std::string_view header = http.headers.get("Content-Type");
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
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

}  // namespace muster::apiserver
