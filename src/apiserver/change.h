// The common last step of PUT and PATCH: admits the wanted object and stores it.
#pragma once

#include "apiserver/admission.h"
#include "apiserver/reply.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

/// The object that a change starts from; its last write may not be committed yet.
struct Current {
  store::Key key;
  store::Entry entry;
  json::Document object;
};
Result<Current> current_object(Context& context, const ResourceRequest& request);
/// The same for a PUT, whose body may contain a uid: Conflict when the object has another uid or does not exist.
Result<Current> replaced_object(Context& context, const ResourceRequest& request, const json::Document& sent);

void change_object(Context& context, const ResourceRequest& request, Origin origin, const Current& current,
                   json::Document wanted, const WriteParameters& parameters, std::vector<std::string> warnings,
                   Reply reply);

/// Reads the body of a server-side apply, JSON or YAML. Repeated fields are an error when strict, else warnings.
Result<json::Document> read_applied(const net::Request& http, FieldValidation validation,
                                    std::vector<std::string>& warnings);
/// Returns the current object with `config` applied to it, admitted and with its owners.
Result<json::Document> admit_applied(Context& context, const ResourceRequest& request, const Current& current,
                                     json::Document config, const WriteParameters& parameters,
                                     std::vector<std::string>& warnings);

}  // namespace muster::apiserver
