// Where a job may leave event files for TensorBoard, in the claims that its pods may write to, and the names of the
// hosts that are in the names of these files. Pure.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"

namespace muster::jobs {

/// A claim as the pods of a job see it.
struct WritableFolder {
  std::string claim;
  std::string path;                // in the claim: what is mounted; "" for all of it
  std::vector<std::string> named;  // folders in the claim that arguments such as --logdir name
};

/// Returns the folders of the role that decides about the job, each once; none for a job with an invalid spec.
std::vector<WritableFolder> writable_folders(const json::Document& object);

/// Returns the host names of the job's pods. One that ends in "-" stands for all that continue with a number, because a
/// job may have been scaled. None if a name is too long for a host, so that nobody knows what the pod calls itself.
std::vector<std::string> host_names(const json::Document& object);

}  // namespace muster::jobs
