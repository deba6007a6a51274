// The common end of PUT and PATCH: admit the wanted object and store it.
#pragma once

#include "apiserver/admission.h"
#include "apiserver/reply.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

/// The object a change starts from, accepted or committed.
struct Current {
  store::Key key;
  store::Entry entry;
  json::Document object;
};
Result<Current> current_object(Context& context, const ResourceRequest& request);
/// The same for a PUT, whose body may say which uid it is about: Conflict when it is another one, or when the object is
/// not there.
Result<Current> replaced_object(Context& context, const ResourceRequest& request, const json::Document& sent);

void change_object(Context& context, const ResourceRequest& request, Origin origin, const Current& current,
                   json::Document wanted, const WriteParameters& parameters, std::vector<std::string> warnings,
                   Reply reply);

/// The body of a server-side apply: JSON or YAML, one object. Repeated fields are an error when strict, else warnings.
Result<json::Document> read_applied(const net::Request& http, FieldValidation validation,
                                    std::vector<std::string>& warnings);
/// What becomes of the current object when `config` is applied to it: admitted, with its owners.
Result<json::Document> admit_applied(Context& context, const ResourceRequest& request, const Current& current,
                                     json::Document config, const WriteParameters& parameters,
                                     std::vector<std::string>& warnings);

}  // namespace muster::apiserver
