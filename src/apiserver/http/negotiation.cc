#include "apiserver/http/negotiation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

constexpr std::string_view kServed = "application/json";
// Clients ask for the first. "@" is not allowed in a media type, so the response has the second.
constexpr std::string_view kOpenApiV2Asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kOpenApiV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

bool takes_json(const MediaRange& range) {
  return range.type == "application/json" || range.type == "application/*" || range.type == "*/*";
}

Result<RowObject> row_object(const Query& query) {
  const std::string_view word = query.get("includeObject");
  if (word.empty() || word == "Metadata") return RowObject::kMetadata;
  if (word == "Object") return RowObject::kFull;
  if (word == "None") return RowObject::kNone;
  return bad_request("Unable to convert to Table as requested: includeObject: Invalid value: " + quote(word) +
                     ": must be 'Metadata', 'Object', 'None', or empty");
}

}  // namespace

std::string_view MediaRange::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

std::vector<MediaRange> parse_accept(std::string_view header) {
  std::vector<MediaRange> ranges;
  for (const std::string& part : split(header, ',')) {
    MediaRange range;
    for (const std::string& piece : split(part, ';')) {
      const std::string_view text = trim(piece);
      if (text.empty()) continue;
      if (range.type.empty()) {
        range.type = to_lower(text);
        continue;
      }
      const std::size_t equals = text.find('=');
      const std::string key = to_lower(trim(text.substr(0, equals)));
      const std::string value(equals == std::string_view::npos ? "" : trim(text.substr(equals + 1)));
      if (key == "q") {
        range.quality = std::strtod(value.c_str(), nullptr);
      } else {
        range.parameters.emplace_back(key, value);
      }
    }
    if (!range.type.empty() && range.quality > 0) ranges.push_back(std::move(range));
  }
  std::ranges::stable_sort(ranges, std::ranges::greater(), &MediaRange::quality);
  return ranges;
}

Result<Form> negotiate_form(std::string_view accept, const Query& query) {
  if (trim(accept).empty()) return Form{};
  for (const MediaRange& range : parse_accept(accept)) {
    if (!takes_json(range)) continue;
    const std::string_view as = range.parameter("as");
    if (as.empty()) return Form{};
    const std::string_view version = range.parameter("v");
    if (range.parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) continue;
    Form form;
    form.version = std::string(version);
    if (as == "Table") {
      form.as = As::kTable;
      TRY_ASSIGN(form.row_object, row_object(query));
      return form;
    }
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
      form.as = As::kPartialMetadata;
      return form;
    }
  }
  return not_acceptable(kServed);
}

Result<DiscoveryForm> negotiate_discovery(std::string_view accept) {
  if (trim(accept).empty()) return DiscoveryForm::kLegacy;
  for (const MediaRange& range : parse_accept(accept)) {
    if (!takes_json(range)) continue;
    if (range.parameter("as").empty()) return DiscoveryForm::kLegacy;
    if (range.parameter("as") != "APIGroupDiscoveryList" || range.parameter("g") != "apidiscovery.k8s.io") continue;
    if (range.parameter("v") == "v2") return DiscoveryForm::kV2;
    if (range.parameter("v") == "v2beta1") return DiscoveryForm::kV2Beta1;
  }
  return not_acceptable(kServed);
}

std::string_view discovery_content_type(DiscoveryForm form) {
  switch (form) {
    case DiscoveryForm::kV2:
      return "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    case DiscoveryForm::kV2Beta1:
      return "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    case DiscoveryForm::kLegacy:
      return "application/json";
  }
  return "application/json";
}

Result<OpenApiV2Form> negotiate_openapi_v2(std::string_view accept) {
  if (trim(accept).empty()) return OpenApiV2Form::kJson;
  for (const MediaRange& range : parse_accept(accept)) {
    if (range.type == kOpenApiV2Asked || range.type == kOpenApiV2) return OpenApiV2Form::kProtobuf;
    if (takes_json(range)) return OpenApiV2Form::kJson;
  }
  return not_acceptable(fmt::format("{}, {}", kServed, kOpenApiV2));
}

std::string_view openapi_v2_content_type(OpenApiV2Form form) {
  return form == OpenApiV2Form::kProtobuf ? kOpenApiV2 : kServed;
}

}  // namespace muster::apiserver
