// Which kind a path about a job names, and how such a path is answered.
#pragma once

#include <string>

#include "api/resource.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::web {

/// "pytorchtrainingjobs.batch.tensorstack.dev"; NotFound when there is no such kind.
Result<const api::Resource*> find_job_kind(const std::string& qualified_name);

void respond_json(net::Exchange& exchange, int status, const json::Document& body);
void respond_error(net::Exchange& exchange, const Error& error);

}  // namespace muster::web
