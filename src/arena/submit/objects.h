// The objects that `arena submit` creates, made from a request. Pure.
#pragma once

#include <string>
#include <vector>

#include "arena/submit/request.h"
#include "json/document.h"

namespace muster::arena {

/// Where a job's logs for TensorBoard go when --logdir lies in none of its claims.
enum class LogVolume {
  kHostFolder,  // as Arena does it: a folder of the node
  kClaim,       // on the engine, where pods do not see the host's folders
};

struct Placement {
  std::string ns;
  std::string version = "v1";  // of kubeflow.org
  LogVolume log_volume = LogVolume::kHostFolder;
  std::vector<std::string> image_pull_secrets;  // unless flags name some
  std::string tf_role_sequence;                 // the same
  std::string log_folder_id;                    // nine digits that make the folder of the host unique
  std::string user = {};                        // "": unknown
  std::string user_id = {};
};

struct Submission {
  json::Document job;
  /// What belongs to the job, in the order of creation. The record is first, as in Arena's output.
  std::vector<json::Document> parts;
};

Submission objects_of(const JobRequest& request, const Placement& placement);

/// Whether TensorBoard reads logs that lie in none of the job's claims.
bool needs_log_volume(const JobRequest& request);

// ---- for the files of this folder ----

std::string secret_name(const std::string& job);
/// Of the claim for a folder of the machine that the code comes from.
std::string source_claim_name(const std::string& job);
/// The labels of every object and pod of the job.
json::Object labels_of(const JobRequest& request);
/// Volumes and mounts for the claims of the job.
void mount_claims(const JobRequest& request, json::Array& volumes, json::Array& mounts);
/// The volume for the logs of TensorBoard, when it needs one.
json::Document log_volume(const JobRequest& request, const Placement& placement);
/// Service and Deployment.
std::vector<json::Document> tensorboard_objects(const JobRequest& request, const Placement& placement);
/// One role of a job: replicas, restart policy and pod template.
struct RoleOptions {
  std::string image;
  std::int64_t replicas = 1;
  std::int64_t gpus = 0;
  const char* restart_policy = "Never";
  bool runs_command = true;
  bool mounts_data = true;
  const RoleFlags* flags = nullptr;  // of a TFJob
  const char* role = "";             // of a TFJob, for its affinity
};
json::Document role_object(const JobRequest& request, const Placement& placement, const RoleOptions& options);

}  // namespace muster::arena
