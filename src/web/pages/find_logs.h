// Whether the folders that a TensorBoard shows have anything in them yet.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_function.h"
#include "client/api_client.h"
#include "node/claim_files.h"

namespace muster::web {

/// Gets "" when something was logged, or where nothing was: "claim mnist, folder log".
using OnLogsFound = UniqueFunction<void(Result<std::string>)>;

/// `client` and `files` outlive the search.
void find_logs(client::ApiClient& client, node::ClaimFiles& files, const json::Document& board, OnLogsFound done);

}  // namespace muster::web
