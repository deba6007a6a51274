// The job that `muster run` creates, as an object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/resource.h"
#include "json/document.h"

namespace muster::cli {

/// The kind of the jobs that `muster run` creates.
const api::Resource& run_kind();

/// A folder of this machine, where the job sees it, and the claim that stands for it.
struct MountedFolder {
  std::string path;    // on this machine
  std::string target;  // in the job; "": at the same path
  bool read_only = false;
  std::string claim = {};

  const std::string& place() const { return target.empty() ? path : target; }
};

struct JobOfScript {
  std::string name;  // "": the server adds something to `name_prefix`
  std::string name_prefix = {};
  json::Object labels = {};
  json::Object annotations = {};
  std::string sweep = {};     // that the job is a run of; "": none
  std::int64_t parallel = 0;  // how many of its jobs run at a time; 0: as many as there is room for
  std::int64_t ranks = 1;
  std::string image;
  std::vector<std::string> command;
  std::string working_dir;
  json::Array env = {};
  json::Object limits = {};  // of each rank, and what it requests
  std::vector<MountedFolder> folders = {};
  std::vector<std::pair<int, int>> ports = {};  // of this machine, and those of rank 0 that they lead to
  std::int64_t restarts = 0;                    // after failures of the script
  std::optional<std::int64_t> longest = {};     // seconds that it may run
  std::string queue = {};
  std::optional<std::int64_t> priority = {};
  bool reads_input = false;
  bool has_terminal = false;

  /// A text, or where the value comes from (valueFrom). A later value replaces an earlier one.
  void set_variable(const std::string& variable, json::Document value);
  bool has_variable(const std::string& variable) const;
};

json::Document job_object(const JobOfScript& of);

}  // namespace muster::cli
