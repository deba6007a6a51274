#include "apiserver/http/write_parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

constexpr std::size_t kMaxManager = 128;

bool is_printable(unsigned char c) {
  return c >= 0x20 && c != 0x7f;
}

/// Returns the problems with fieldManager and force.
std::vector<FieldCause> check_field_manager(const ResourceRequest& request, const net::Request& http) {
  std::vector<FieldCause> causes;
  const std::string_view manager = request.query.get("fieldManager");
  if (request.verb == Verb::kPatch && is_apply(http)) {
    if (manager.empty()) causes.push_back(required("fieldManager", "is required for apply patch"));
  } else if (request.verb == Verb::kPatch && request.query.has("force")) {
    causes.push_back(forbidden_value("force", "may not be specified for non-apply patch"));
  }
  if (manager.size() > kMaxManager) {
    causes.push_back(
        {"FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", kMaxManager), "fieldManager"});
  }
  if (!std::ranges::all_of(manager, is_printable)) {
    causes.push_back(invalid_value("fieldManager", quote(manager), "should only contain printable characters"));
  }
  return causes;
}

std::string field_manager_of(const ResourceRequest& request, const net::Request& http) {
  if (const std::string_view manager = request.query.get("fieldManager"); !manager.empty()) return std::string(manager);
  const std::string_view agent = http.headers.get("User-Agent");
  std::string manager;
  for (const char c : agent.substr(0, agent.find('/'))) {
    if (is_printable(static_cast<unsigned char>(c)) && manager.size() < kMaxManager) manager += c;
  }
  return manager.empty() ? "unknown" : manager;
}

}  // namespace

Result<WriteParameters> parse_write_parameters(const ResourceRequest& request, const net::Request& http) {
  WriteParameters parameters;
  const std::string_view kind = request.verb == Verb::kCreate   ? "CreateOptions"
                                : request.verb == Verb::kUpdate ? "UpdateOptions"
                                                                : "PatchOptions";
  const std::string_view validation = request.query.get("fieldValidation");
  if (validation == "Strict") {
    parameters.field_validation = FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    parameters.field_validation = FieldValidation::kIgnore;
  } else if (!validation.empty() && validation != "Warn") {
    return invalid_options(kind,
                           {unsupported_value("fieldValidation", quote(validation), {"", "Ignore", "Strict", "Warn"})});
  }
  TRY_ASSIGN(parameters.dry_run, parse_dry_run(kind, request.query, nullptr));
  parameters.force = request.query.flag("force");
  if (std::vector<FieldCause> causes = check_field_manager(request, http); !causes.empty()) {
    return invalid_options(kind, std::move(causes));
  }
  parameters.field_manager = field_manager_of(request, http);
  return parameters;
}

Result<bool> parse_dry_run(std::string_view options_kind, const Query& query, const Document* in_body) {
  std::vector<std::string> words = query.all("dryRun");
  if (in_body != nullptr && in_body->is_array()) {
    for (const Document& word : in_body->as_array()) words.push_back(word.is_string() ? word.as_string() : "");
  }
  if (std::ranges::all_of(words, [](const std::string& word) { return word == "All"; })) return !words.empty();
  for (std::string& word : words) word = quote(word);
  return invalid_options(options_kind,
                         {unsupported_value("dryRun", fmt::format("[]string{{{}}}", join(words, ", ")), {"All"})});
}

bool is_apply(const net::Request& http) {
  const std::string_view header = http.headers.get("Content-Type");
  return to_lower(trim(header.substr(0, header.find(';')))) == "application/apply-patch+yaml";
}

}  // namespace muster::apiserver
