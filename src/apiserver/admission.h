// Admission: from what a client sent to what may be stored. Decoding, unknown fields, defaults, metadata rules,
// validation with all causes at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/context.h"
#include "apiserver/request.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

enum class FieldValidation { kIgnore, kWarn, kStrict };

/// Parameters of POST, PUT and PATCH.
struct WriteParameters {
  FieldValidation field_validation = FieldValidation::kWarn;
  bool dry_run = false;
  std::string field_manager;  // who owns what is written: the client's word, or the first word of its User-Agent
  bool force = false;         // server-side apply: take fields from their owners
};
Result<WriteParameters> parse_write_parameters(const ResourceRequest& request, const net::Request& http);

/// Whether nothing is to be stored: `dryRun` of the query, or of the options in a body (may be null). Only "All" is
/// known.
Result<bool> parse_dry_run(std::string_view options_kind, const Query& query, const json::Document* in_body);

/// The body as JSON, YAML or Kubernetes protobuf; UnsupportedMediaType for others. Of a repeated field the last value
/// counts, and the fact is told in `repeated`: `duplicate field "data.a"`, as a warning or for an error.
Result<json::Document> read_body(const net::Request& http, std::vector<std::string>& repeated);
/// The same of a JSON text, with `context` before each telling.
Result<json::Document> parse_noting_repeated(std::string_view text, std::string_view context,
                                             std::vector<std::string>& repeated);
/// Without the members that the kind does not have.
void drop_unknown(const api::Resource& resource, json::Document& object);

/// That it is an object of the resource's kind and version; fills these in where they are missing (built-ins only, as
/// Kubernetes does).
Status check_kind(const api::Resource& resource, json::Document& object);

/// That the name and namespace of a body are those of the request.
Status check_identity(const ResourceRequest& request, const json::Document& object);
/// That what was sent means the object that is there, whose uid is `now`, and not one of its name before it.
Status check_uid(const api::Resource& resource, const std::string& name, const std::string& now,
                 const json::Document& sent);
/// That the body of a PUT can be decoded and names the object it is sent to. Before anybody looks whether that is
/// there.
Status check_replacement(const ResourceRequest& request, json::Document& object, const WriteParameters& parameters,
                         std::vector<std::string>& warnings);

/// A new object: name made if asked for, namespace checked, defaults, status set back, validated. `warnings` begins
/// with what was noted while the body was read; here and below.
Result<json::Document> admit_new(Context& context, const ResourceRequest& request, json::Document object,
                                 const WriteParameters& parameters, std::vector<std::string>& warnings);

/// What is asked and never stored: kind, unknown fields, defaults and rules, but neither name nor namespace.
Result<json::Document> admit_question(const api::Resource& resource, json::Document object,
                                      const WriteParameters& parameters, std::vector<std::string>& warnings);

/// How the wanted object came about: as a whole, which passed check_replacement (it must say which version it
/// replaces), or by a patch of the current one.
enum class Origin { kBody, kPatch };
/// `request.subresource` "status" takes only the status from `after`, "" everything but it.
Result<json::Document> admit_change(Context& context, const ResourceRequest& request, Origin origin,
                                    const json::Document& before, json::Document after,
                                    const WriteParameters& parameters, std::vector<std::string>& warnings);

}  // namespace muster::apiserver
