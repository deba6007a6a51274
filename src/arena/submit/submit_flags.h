// The flags of `arena submit`, for all types of jobs: what is common, and what each type adds. Lists of KEY=VALUE are
// kept as typed; submit/check.cc reads them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "arena/flags/flags.h"
#include "arena/jobs/job_types.h"

namespace muster::arena {

/// The flags of one role of a TFJob.
struct RoleFlags {
  std::string image;
  std::string cpu;
  std::string cpu_limit;
  std::string memory;
  std::string memory_limit;
  std::int64_t port = 0;
  std::vector<std::string> selectors;
  std::string affinity_policy = "none";
  std::string affinity_constraint = "preferred";
};

struct SubmitFlags {
  std::string name;
  std::string image;
  std::string image_pull_policy = "Always";
  std::vector<std::string> image_pull_secrets;
  std::int64_t gpus = 0;
  std::vector<std::string> devices;
  std::int64_t workers = 1;
  std::int64_t retry = 0;
  std::string working_dir = "/root";
  std::vector<std::string> envs;
  std::vector<std::string> data;
  std::vector<std::string> data_dirs;
  std::vector<std::string> annotations;
  std::vector<std::string> labels;
  std::vector<std::string> selectors;
  std::vector<std::string> tolerations;
  std::vector<std::string> config_files;
  std::string priority;
  bool rdma = false;
  bool gang = false;
  std::string queue;
  std::string scheduler;
  std::string shell = "sh";
  bool host_network = false;
  bool host_ipc = false;
  bool host_pid = false;
  std::string model_name;
  std::string model_source;
  std::string sync_mode;
  std::string sync_source;
  std::string sync_image;
  std::string sync_secret;
  bool tensorboard = false;
  std::string tensorboard_image = "registry.cn-zhangjiakou.aliyuncs.com/acs/tensorflow:1.12.0-devel";
  std::string log_dir = "/training_logs";
  // Not in every type.
  std::string cpu;
  std::string memory;
  std::string share_memory = "2Gi";
  std::string nproc_per_node;
  std::string clean_task_policy;
  Duration running_timeout{0};
  Duration starting_timeout{0};
  Duration ttl_after_finished{0};
  std::int64_t ssh_port = 0;
  bool gpu_topology = false;
  bool mounts_on_launcher = false;
  // TFJob
  std::int64_t ps = 0;
  bool chief = false;
  bool evaluator = false;
  std::int64_t ps_gpus = 0;
  std::string success_policy = "ChiefWorker";
  std::string role_sequence;
  RoleFlags worker_role;
  RoleFlags ps_role;
  RoleFlags chief_role;
  RoleFlags evaluator_role;
  // Not of Arena.
  bool dry_run = false;
  std::string output;

  void add_flags(Flags& flags, const JobType& type);
};

}  // namespace muster::arena
