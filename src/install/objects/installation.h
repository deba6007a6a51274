// The one definition of what is installed on a cluster. `muster install`, deploy/ and the Helm chart are made of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "install/objects/settings.h"
#include "json/document.h"

namespace muster::install {

/// Returns every mistake in the settings as one BadRequest that names the flags.
Status check_settings(const Settings& settings);

/// All objects, in the order in which a server accepts them. The settings must be right.
std::vector<json::Document> installation(const Settings& settings);

/// The objects as a stream of YAML documents.
std::string export_text(const std::vector<json::Document>& objects);

/// The generated files of deploy/ besides the CRDs, by their paths there: what `kubectl apply -k` needs, and from which
/// version and rules the Helm chart takes.
std::map<std::string, std::string> deploy_files();

}  // namespace muster::install
