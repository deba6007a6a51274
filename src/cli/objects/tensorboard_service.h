// The Service in front of a TensorBoard: the one that Arena creates with a job, and its path through the API.
#pragma once

#include <string>

#include "cli/connect/session.h"

namespace muster::cli {

/// The name of the Service and the Deployment that Arena makes for the TensorBoard of a job.
std::string arena_tensorboard_name(const std::string& job);
/// Returns that Service; null when the job has none.
Result<json::Document> arena_tensorboard_service(Session& session, const std::string& ns, const std::string& job);

/// Returns the first port of a Service, by the member: port or nodePort. 0 when there is none.
std::int64_t service_port(const json::Document& service, const char* member);
/// Returns the path under which the API server passes requests on to the Service.
std::string path_through_api(const json::Document& service);

}  // namespace muster::cli
