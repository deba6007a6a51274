// Content negotiation by the Accept header: plain JSON, Table, metadata only, or one of the forms of discovery or
// OpenAPI.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/http/request.h"
#include "apiserver/print/form.h"
#include "base/result.h"

namespace muster::apiserver {

struct MediaRange {
  std::string type;  // "application/json"
  std::vector<std::pair<std::string, std::string>> parameters;
  double quality = 1;
  std::string_view parameter(std::string_view name) const;
};
/// Sorted by quality, best first; equal qualities keep their order.
std::vector<MediaRange> parse_accept(std::string_view header);

/// NotAcceptable when the client accepts none of the forms we can produce; JSON is always one of them.
Result<Form> negotiate_form(std::string_view accept, const Query& query);

enum class DiscoveryForm { kV2, kV2Beta1, kLegacy };
Result<DiscoveryForm> negotiate_discovery(std::string_view accept);
/// The Content-Type must repeat what the client asked for, because the client chooses the decoder by it.
std::string_view discovery_content_type(DiscoveryForm form);

enum class OpenApiV2Form { kJson, kProtobuf };
Result<OpenApiV2Form> negotiate_openapi_v2(std::string_view accept);
std::string_view openapi_v2_content_type(OpenApiV2Form form);

}  // namespace muster::apiserver
