// The claims and the Secret that a job of `muster run` needs. A run that is refused leaves none behind.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connect/session.h"
#include "cli/run/job.h"
#include "cli/run/variables.h"

namespace muster::cli {

inline constexpr const char* kHomeOfPods = "/root";

/// The folder that the engine keeps as the home of the jobs of a namespace, at $HOME of a pod.
MountedFolder kept_home();

class RunObjects {
 public:
  explicit RunObjects(Session& session) : session_(session) {}

  /// Finds the claims of the folders, and makes those that do not exist.
  Status name_claims(std::vector<MountedFolder>& folders);
  /// Makes a Secret of the values, and refers to it in the job's variables.
  Status keep_secrets(const std::vector<Variable>& secrets, JobOfScript& job);
  /// Puts into the job who is told about it: targets of the configuration, and URLs, which go into Secrets.
  Status keep_notify(const std::vector<std::string>& targets, JobOfScript& job);
  /// The Secrets then go with the job.
  Status give_secrets_to(const json::Document& job);
  /// Deletes what was made for a job that does not exist.
  void take_back();

 private:
  Status check_target(const std::string& target);
  Result<std::string> make_claim(const MountedFolder& folder);
  /// A claim of an earlier version has no mark that keeps service accounts away.
  Status mark_home(const json::Document& claim);
  Result<json::Document> create(const client::ResourceName& resource, const json::Document& object);

  Session& session_;
  std::vector<client::ObjectName> made_;
  std::vector<std::string> secrets_;
};

}  // namespace muster::cli
