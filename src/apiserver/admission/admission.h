// Admission turns what a client sent into what may be stored: decoding, unknown fields, defaults, metadata rules, and
// validation that reports all causes at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/context.h"
#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"

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

/// Reads the body as JSON, YAML or Kubernetes protobuf; UnsupportedMediaType for others. The last value of a repeated
/// field wins, and `repeated` gets the text for a warning or an error: `duplicate field "data.a"`.
Result<json::Document> read_body(const net::Request& http, std::vector<std::string>& repeated);
/// The same for a JSON text; `context` is put before each entry of `repeated`.
Result<json::Document> parse_noting_repeated(std::string_view text, std::string_view context,
                                             std::vector<std::string>& repeated);
/// Removes the members that the kind does not have.
void drop_unknown(const api::Resource& resource, json::Document& object);

/// Checks that the object has the resource's kind and version. For built-in kinds, missing ones are filled in, as in
/// Kubernetes.
Status check_kind(const api::Resource& resource, json::Document& object);

/// Checks that the name and namespace in a body are those of the request.
Status check_identity(const ResourceRequest& request, const json::Document& object);
/// Checks that `sent` is about the current object, whose uid is `now`, and not about an earlier one of the same name.
Status check_uid(const api::Resource& resource, const std::string& name, const std::string& now,
                 const json::Document& sent);
/// Checks that the body of a PUT can be decoded and names the object it is sent to. This runs before the object is
/// looked up.
Status check_replacement(const ResourceRequest& request, json::Document& object, const WriteParameters& parameters,
                         std::vector<std::string>& warnings);

/// Admits a new object: generates a name if asked to, checks the namespace, sets defaults, resets the status,
/// validates. Here and below, `warnings` begins with those from reading the body.
Result<json::Document> admit_new(Context& context, const ResourceRequest& request, json::Document object,
                                 const WriteParameters& parameters, std::vector<std::string>& warnings);

/// Admits a question, which is never stored: kind, unknown fields, defaults and rules, but neither name nor namespace.
Result<json::Document> admit_question(const api::Resource& resource, json::Document object,
                                      const WriteParameters& parameters, std::vector<std::string>& warnings);

/// Where the wanted object comes from: a whole body, which passed check_replacement and must name the version it
/// replaces, or a patch of the current object.
enum class Origin { kBody, kPatch };
/// With the subresource "status", only the status of `after` is used; with "", everything except the status.
Result<json::Document> admit_change(Context& context, const ResourceRequest& request, Origin origin,
                                    const json::Document& before, json::Document after,
                                    const WriteParameters& parameters, std::vector<std::string>& warnings);

}  // namespace muster::apiserver
