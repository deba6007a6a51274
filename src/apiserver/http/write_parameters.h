// The parameters of requests that write.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

enum class FieldValidation { kIgnore, kWarn, kStrict };

/// Parameters of POST, PUT and PATCH.
struct WriteParameters {
  FieldValidation field_validation = FieldValidation::kWarn;
  bool dry_run = false;
  std::string field_manager;  // the owner of what is written: given by the client, or the first word of its User-Agent
  bool force = false;         // server-side apply: take over fields from their owners
};
Result<WriteParameters> parse_write_parameters(const ResourceRequest& request, const net::Request& http);

/// Returns true when nothing is to be stored: `dryRun` is set in the query, or in the options of a body (may be null).
/// "All" is the only accepted value.
Result<bool> parse_dry_run(std::string_view options_kind, const Query& query, const json::Document* in_body);

/// True for PATCH with application/apply-patch+yaml.
bool is_apply(const net::Request& http);

}  // namespace muster::apiserver
