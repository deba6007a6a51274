// Server-side apply, as PATCH and the scale subresource use it.
#pragma once

#include "apiserver/verbs/write.h"

namespace muster::apiserver {

void apply_object(Context& context, const ResourceRequest& request, const net::Request& http,
                  const WriteParameters& parameters, Reply reply);

/// Reads the body of a server-side apply, JSON or YAML. Repeated fields are an error when strict, else warnings.
Result<json::Document> read_applied(const ResourceRequest& request, const net::Request& http,
                                    FieldValidation validation, std::vector<std::string>& warnings);
/// Returns the current object with `config` applied to it, admitted and with its owners.
Result<json::Document> admit_applied(Context& context, const ResourceRequest& request, const Current& current,
                                     json::Document config, const WriteParameters& parameters,
                                     std::vector<std::string>& warnings);

}  // namespace muster::apiserver
