// Where the logs of a training are, from either form of a TensorBoard's spec.
#pragma once

#include <string>
#include <vector>

#include "api/tensorstack/tensorboard_v1beta1.h"

namespace muster::control {

/// A folder on a claim. The path has neither a slash at its ends nor steps that stay in place; "" is the whole claim.
struct LogFolder {
  std::string claim;
  std::string path;
  bool operator==(const LogFolder&) const = default;
};

struct LogSources {
  std::vector<LogFolder> folders;        // without repetitions, in the order of the manifest
  std::vector<std::string> unsupported;  // the others, as they were written
};

/// trainingLogFilesets and logDir together.
LogSources log_sources(const api::TensorBoardSpec& spec);

}  // namespace muster::control
