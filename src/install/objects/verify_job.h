// The job of `muster verify`, and what its log says. Pure.
#pragma once

#include <optional>
#include <string>

#include "api/resource.h"
#include "json/document.h"

namespace muster::install {

/// Two ranks that train a small model together on the CPU. `kind` is PyTorchTrainingJob, or PyTorchJob for clusters
/// that have nothing else.
json::Document verify_job(const api::Resource& kind, const std::string& image);

struct Losses {
  std::string first;
  std::string last;
};
/// Reads the lines "step N loss X"; nullopt unless the loss fell.
std::optional<Losses> losses_in(const std::string& log);

}  // namespace muster::install
