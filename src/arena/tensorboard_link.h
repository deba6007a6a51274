// Where the TensorBoard of a job opens in a browser.
#pragma once

#include <string>

#include "arena/command.h"

namespace muster::arena {

/// The name of the Service and the Deployment of a job's TensorBoard.
std::string tensorboard_name(const std::string& job);

/// Returns the Service of the job's TensorBoard; null when it has none.
Result<json::Document> tensorboard_service(Context& context, const Job& job);
/// Returns the path under which the API server passes requests on to the Service.
std::string path_through_api(const json::Document& service);

/// Returns a URL that opens as it is: on the engine a link with a token that works once, on a cluster the port of a
/// node. "" when the job has no TensorBoard.
std::string tensorboard_link(Context& context, const Job& job);

}  // namespace muster::arena
