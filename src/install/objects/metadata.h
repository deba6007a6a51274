// Names and labels of the objects of an installation.
#pragma once

#include <string>
#include <string_view>

#include "install/objects/settings.h"
#include "json/document.h"

namespace muster::install {

/// The labels that select the operator's pods; they never change, because a Deployment's selector cannot.
json::Object pod_selector();
/// Returns an object without content, with the labels of the installation. An empty `ns`: cluster scope.
json::Document new_object(std::string_view api_version, std::string_view kind, const std::string& ns,
                          const std::string& name);

/// Whether the labels of an object say that it belongs to an installation of Muster.
bool is_ours(const json::Document& object);

}  // namespace muster::install
