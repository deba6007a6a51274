// What `muster install` has made, found by its labels.
#pragma once

#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "json/document.h"

namespace muster::install {

/// Returns the objects of the installation whose operator is in `ns`, in the order in which they are removed: the
/// operator ends before it loses its rights. Another one, for other namespaces, may be on the same cluster. The
/// namespace and the CRDs are left out. `namespaces` are where to look if the user may not list all.
Result<std::vector<json::Document>> installed_objects(cli::Session& session, const std::string& ns,
                                                      const std::vector<std::string>& namespaces);

}  // namespace muster::install
