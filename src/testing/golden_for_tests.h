// Golden cases: a script in YAML, FOLDER/NAME.in.yaml, and next to it the result, FOLDER/NAME.plan.yaml.
#pragma once

#include <functional>
#include <string>

#include "json/document.h"

namespace muster::testing {

/// Plays the script and expects the outcome that is written down; `folder` is relative to the sources.
/// MUSTER_UPDATE_GOLDEN=1 writes it again; read the difference before committing it.
void expect_golden(const std::string& folder, const std::string& name,
                   const std::function<json::Document(const json::Document& script)>& play);

}  // namespace muster::testing
