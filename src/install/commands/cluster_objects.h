// Requests about the objects of an installation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "client/api_client.h"
#include "json/document.h"

namespace muster::install {

inline constexpr const char* kInstallManager = "muster-install";  // the field manager of what is installed

client::ObjectName name_of(const json::Document& object);
/// Returns "deployment/muster-operator", for output.
std::string label_of(const json::Document& object);

/// Returns nullopt if the object, or its kind, does not exist.
Result<std::optional<json::Document>> find(cli::Session& session, const client::ObjectName& object);
struct ApplyOptions {
  bool dry_run = false;
  bool force = false;  // takes fields over from other managers
};
Result<json::Document> apply(cli::Session& session, const json::Document& object, const ApplyOptions& options);
Status remove(cli::Session& session, const client::ObjectName& object, bool dry_run);

/// Waits for a moment; false after Ctrl-C.
bool rest(cli::Session& session);

/// Returns why the operator's pods do not run, in one sentence each, as its Deployment and its pods say.
std::vector<std::string> causes_of_operator(cli::Session& session, const json::Document& deployment);
/// Whether all replicas of a Deployment are of its newest template and available.
bool is_available(const json::Document& deployment);

/// These commands are for clusters: an engine brings everything itself.
std::optional<cli::Failure> refuse_engine(cli::Session& session, const std::string& command);

}  // namespace muster::install
