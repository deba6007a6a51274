#include "arena/submit/submit_flags.h"

namespace muster::arena {

namespace {

void add_placement_flags(SubmitFlags& to, Flags& flags) {
  flags.add("selector", &to.selectors, "assigning jobs to some k8s particular nodes, usage: \"--selector=key=value\"");
  flags.add("toleration", &to.tolerations,
            "tolerate some k8s nodes with taints, usage: \"--toleration key\", \"--toleration "
            "key=value:effect,operator\" or \"--toleration all\"");
  flags.add("priority", &to.priority, "priority class name", 'p');
  flags.add("gang", &to.gang, "enable gang scheduling");
  flags.add("queue", &to.queue, "the queue whose quota the job uses; true: submit the job to kube-queue");
  flags.add("scheduler", &to.scheduler, "Specify the scheduler name");
  flags.add("rdma", &to.rdma, "enable RDMA");
  flags.add("hostNetwork", &to.host_network, "Enable host network, usage: \"--hostNetwork\"");
  flags.add("hostIPC", &to.host_ipc, "Enable host IPC, usage: \"--hostIPC\"");
  flags.add("hostPID", &to.host_pid, "Enable host PID, usage: \"--hostPID\"");
}

void add_file_flags(SubmitFlags& to, Flags& flags) {
  flags.add("data", &to.data,
            "specify the datasource to mount to the job, like <name_of_datasource>:<mount_point_on_job>", 'd');
  flags.add("data-dir", &to.data_dirs,
            "the data dir. If you specify /data, it means mounting hostpath /data into /data");
  flags.add_old_name("data-dir", "dataDir");
  flags.add("config-file", &to.config_files,
            "giving configuration files when submitting jobs, usage: \"--config-file "
            "<host_path_file>:<container_path_file>\"");
  flags.add("sync-mode", &to.sync_mode, "syncMode: support rsync, git");
  flags.set_choices("sync-mode", {"git", "rsync"});
  flags.add_old_name("sync-mode", "syncMode");
  flags.add("sync-source", &to.sync_source,
            "syncSource: for rsync, it's like 10.88.29.56::backup/data/logoRecoTrain.zip; for git, it's like "
            "https://github.com/kubeflow/tf-operator.git or, on the engine, /home/me/project");
  flags.add_old_name("sync-source", "syncSource");
  flags.add("sync-image", &to.sync_image, "the docker image of syncImage");
  flags.add_old_name("sync-image", "syncImage");
  flags.add("sync-secret", &to.sync_secret, "a Secret with the ssh key of the repository, under the key ssh");
  flags.add("tensorboard", &to.tensorboard, "enable tensorboard");
  flags.add("tensorboard-image", &to.tensorboard_image, "the docker image for tensorboard");
  flags.add_old_name("tensorboard-image", "tensorboardImage");
  flags.add("logdir", &to.log_dir, "the training logs dir, default is /training_logs");
}

void add_common_flags(SubmitFlags& to, Flags& flags) {
  flags.add("name", &to.name, "override name");
  flags.require("name");
  flags.add("image", &to.image, "the docker image name of training job");
  flags.add("image-pull-policy", &to.image_pull_policy, "the policy to pull the image");
  flags.add_old_name("image-pull-policy", "imagePullPolicy");
  flags.add("image-pull-secret", &to.image_pull_secrets,
            "giving names of imagePullSecret when you want to use a private registry");
  flags.add("gpus", &to.gpus, "the GPU count of each worker to run the training");
  flags.add("device", &to.devices, "the chip vendors and count that used for resources, such as amd.com/gpu=1");
  flags.add("workers", &to.workers, "the worker number to run the distributed training");
  flags.add("retry", &to.retry, "retry times");
  flags.add("working-dir", &to.working_dir,
            "working directory to extract the code. If using syncMode, the $workingDir/code contains the code");
  flags.add_old_name("working-dir", "workingDir");
  flags.add("env", &to.envs, "the environment variables, usage: \"--env envName=envValue\"", 'e');
  flags.add("annotation", &to.annotations, "the annotations, usage: \"--annotation=key=value\"", 'a');
  flags.add("label", &to.labels, "specify the label", 'l');
  flags.add("shell", &to.shell, "specify the linux shell, usage: \"--shell bash\"");
  flags.add("model-name", &to.model_name, "model name");
  flags.add("model-source", &to.model_source, "model source");
}

void add_own_flags(SubmitFlags& to, Flags& flags) {
  flags.add("dry-run", &to.dry_run, "print what would be created, and create nothing");
  flags.add("output", &to.output, "with --dry-run: yaml or json", 'o');
  flags.set_choices("output", {"yaml", "json"});
}

void add_time_limits(SubmitFlags& to, Flags& flags) {
  flags.add("running-timeout", &to.running_timeout,
            "Specifies the duration since startTime during which the job can remain active before it is terminated");
  flags.add("ttl-after-finished", &to.ttl_after_finished, "Defines the TTL for cleaning up finished jobs");
}

void add_sizes(SubmitFlags& to, Flags& flags) {
  flags.add("cpu", &to.cpu, "the cpu resource to use for the training, like 1 for 1 core");
  flags.add("memory", &to.memory, "the memory resource to use for the training, like 1Gi");
}

void add_clean_policy(SubmitFlags& to, Flags& flags, const char* usual) {
  to.clean_task_policy = usual;
  flags.add("clean-task-policy", &to.clean_task_policy,
            "How to clean tasks after Training is done, support Running, None and All");
  flags.set_choices("clean-task-policy", {"Running", "None", "All"});
  flags.add_old_name("clean-task-policy", "cleanTaskPolicy");
}

void add_pytorch_flags(SubmitFlags& to, Flags& flags) {
  add_sizes(to, flags);
  flags.add("share-memory", &to.share_memory, "the shared memory of each replica to run the job");
  flags.add("nproc-per-node", &to.nproc_per_node, "Number of processes per node: auto, cpu, gpu or a number");
  flags.add("worker-image", &to.worker_role.image,
            "the docker image of the workers, and of the master when --image is not set");
  flags.add_old_name("worker-image", "workerImage");
  // Pods that ended keep their rows in `get`, as in Arena's own documents.
  add_clean_policy(to, flags, "None");
  add_time_limits(to, flags);
}

void add_mpi_flags(SubmitFlags& to, Flags& flags) {
  add_sizes(to, flags);
  flags.add("share-memory", &to.share_memory, "the shared memory of each replica to run the job");
  flags.add("gputopology", &to.gpu_topology, "enable gputopology scheduling");
  flags.add("mounts-on-launcher", &to.mounts_on_launcher, "whether the launcher also mounts the data");
  add_clean_policy(to, flags, "All");
}

/// The flags of a role, such as --ps-cpu; `old` is the role in old spellings, such as psCpu.
void add_role_flags(RoleFlags& to, Flags& flags, const std::string& role, const std::string& old) {
  flags.add(role + "-cpu", &to.cpu, "the cpu resource to use for the " + role + ", like 1 for 1 core");
  flags.add_old_name(role + "-cpu", old + "Cpu");
  flags.add(role + "-cpu-limit", &to.cpu_limit, "the cpu resource limit of the " + role);
  flags.add(role + "-memory", &to.memory, "the memory resource to use for the " + role + ", like 1Gi");
  flags.add_old_name(role + "-memory", old + "Memory");
  flags.add(role + "-memory-limit", &to.memory_limit, "the memory resource limit of the " + role);
  flags.add(role + "-selector", &to.selectors, "assigning the " + role + " to some k8s particular nodes");
}

void add_role_port(RoleFlags& to, Flags& flags, const std::string& role) {
  flags.add(role + "-port", &to.port, "the port of the " + role + "; chosen for the job when not set");
  flags.add_old_name(role + "-port", role + "Port");
}

void add_role_affinity(RoleFlags& to, Flags& flags, const std::string& role) {
  flags.add(role + "-affinity-policy", &to.affinity_policy, "affinity of the " + role + ": none, spread or binpack");
  flags.set_choices(role + "-affinity-policy", {"none", "spread", "binpack"});
  flags.add(role + "-affinity-constraint", &to.affinity_constraint, "preferred or required");
  flags.set_choices(role + "-affinity-constraint", {"preferred", "required"});
}

void add_tf_flags(SubmitFlags& to, Flags& flags) {
  flags.add("ps", &to.ps, "the number of the parameter servers");
  flags.add("ps-gpus", &to.ps_gpus, "the gpu resource to use for each parameter server");
  flags.add("chief", &to.chief, "enable chief, which is required for estimator");
  flags.add("evaluator", &to.evaluator, "enable evaluator, which is optional for estimator");
  flags.add("worker-image", &to.worker_role.image, "the docker image for tensorflow workers");
  flags.add_old_name("worker-image", "workerImage");
  flags.add("ps-image", &to.ps_role.image, "the docker image for the parameter servers");
  flags.add_old_name("ps-image", "psImage");
  add_role_flags(to.worker_role, flags, "worker", "worker");
  add_role_flags(to.ps_role, flags, "ps", "ps");
  add_role_flags(to.chief_role, flags, "chief", "Chief");
  add_role_flags(to.evaluator_role, flags, "evaluator", "evaluator");
  add_role_port(to.worker_role, flags, "worker");
  add_role_port(to.ps_role, flags, "ps");
  add_role_port(to.chief_role, flags, "chief");
  add_role_affinity(to.worker_role, flags, "worker");
  add_role_affinity(to.ps_role, flags, "ps");
  flags.add("success-policy", &to.success_policy, "ChiefWorker or AllWorkers");
  flags.set_choices("success-policy", {"ChiefWorker", "AllWorkers"});
  flags.add("role-sequence", &to.role_sequence,
            "the order in which the roles start, such as \"Worker,PS,Chief,Evaluator\" or \"w,p,c,e\"");
  flags.add("share-memory", &to.share_memory, "the shared memory of each replica to run the job");
  flags.add("starting-timeout", &to.starting_timeout, "how long the job may wait for its resources");
  add_clean_policy(to, flags, "Running");
  add_time_limits(to, flags);
}

}  // namespace

void SubmitFlags::add_flags(Flags& flags, const JobType& type) {
  add_common_flags(*this, flags);
  add_placement_flags(*this, flags);
  add_file_flags(*this, flags);
  if (type.name == "pytorchjob") add_pytorch_flags(*this, flags);
  if (type.name == "tfjob") add_tf_flags(*this, flags);
  if (type.name == "mpijob") add_mpi_flags(*this, flags);
  if (type.name == "horovodjob") {
    add_mpi_flags(*this, flags);
    flags.add("ssh-port", &ssh_port, "accepted for compatibility; ranks are started without ssh");
  }
  add_own_flags(*this, flags);
}

}  // namespace muster::arena
