#include "jobs/kinds/pytorch_training_job.h"

#include <fmt/core.h>

#include <algorithm>

#include "jobs/kinds/tensorstack.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kKindName = "PyTorchTrainingJob";
constexpr int kClusterPort = 29500;  // torch's own default

/// Replicas beyond the sum of the roles are distributed by scalingWeight, largest remainder first. If there are fewer,
/// the last roles lose replicas first, and the very first replica always stays.
void scale_to(int expected, const std::vector<api::TrainingReplicaSpec>& specs, std::vector<Role>& roles) {
  int total = 0;
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    total += roles[i].replicas;
    weights += std::max(specs[i].scaling_weight.value_or(1), 0);
  }
  for (std::size_t i = roles.size(); i-- > 0 && total > expected;) {
    const int least = i == 0 ? 1 : 0;
    const int taken = std::clamp(roles[i].replicas - least, 0, total - expected);
    roles[i].replicas -= taken;
    total -= taken;
  }
  const int growth = expected - total;
  if (growth <= 0 || weights == 0) return;
  std::vector<std::pair<std::int64_t, std::size_t>> remainders;
  int given = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const std::int64_t share = std::int64_t{growth} * std::max(specs[i].scaling_weight.value_or(1), 0);
    roles[i].replicas += static_cast<int>(share / weights);
    given += static_cast<int>(share / weights);
    remainders.emplace_back(-(share % weights), i);
  }
  std::ranges::sort(remainders);
  for (std::size_t i = 0; given < growth; ++i, ++given) roles[remainders[i].second].replicas += 1;
}

void set_roles(const api::PyTorchTrainingJobSpec& spec, Job& job) {
  add_tensorstack_roles(spec.replica_specs, job);
  if (!spec.elastic || !spec.elastic->enabled) return;
  if (spec.elastic->expected_replicas) scale_to(*spec.elastic->expected_replicas, spec.replica_specs, job.roles);
  job.elastic_min = spec.elastic->min_replicas;
  job.elastic = ElasticRange{.least = spec.elastic->min_replicas.value_or(1),
                             .most = spec.elastic->max_replicas.value_or(total_replicas(job))};
}

std::string nnodes(const api::PyTorchTrainingJobSpec& spec, int total) {
  if (spec.elastic && spec.elastic->enabled) {
    return fmt::format("{}:{}", spec.elastic->min_replicas.value_or(1), spec.elastic->max_replicas.value_or(total));
  }
  const auto& least = spec.torchrun_config->min_nodes;
  return least && *least < total ? fmt::format("{}:{}", *least, total) : std::to_string(total);
}

Launch launch_of(const api::PyTorchTrainingJobSpec& spec, int total) {
  if (!spec.torchrun_config || !spec.torchrun_config->enabled) return PlainLaunch{};
  const api::TorchrunConfig& config = *spec.torchrun_config;
  return TorchrunLaunch{.nnodes = nnodes(spec, total),
                        .proc_per_node = config.proc_per_node.empty() ? "1" : config.proc_per_node,
                        .rdzv_backend = config.rdzv_backend.empty() ? "c10d" : config.rdzv_backend,
                        .max_restarts = config.max_restarts.value_or(0),
                        .extra_options = config.extra_options};
}

void note_scaling_weights(const api::PyTorchTrainingJobSpec& spec, Job& job) {
  if (spec.elastic && spec.elastic->enabled) return;
  for (std::size_t i = 0; i < spec.replica_specs.size(); ++i) {
    if (!spec.replica_specs[i].scaling_weight) continue;
    note_ignored(fmt::format("spec.replicaSpecs[{}].scalingWeight", i), "the job is not elastic", job);
  }
}

Result<Job> normalise(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTensorStackVersion, kKindName));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::PyTorchTrainingJob>(complete));
  const api::PyTorchTrainingJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  set_tensorstack_run_policy(spec.run_policy.value_or(api::TrainingRunPolicy{}), job);
  set_roles(spec, job);
  job.launch = launch_of(spec, total_replicas(job));
  if (const auto* torchrun = std::get_if<TorchrunLaunch>(&job.launch)) set_processes(torchrun->proc_per_node, job);
  if (spec.run_mode) set_tensorstack_run_mode(*spec.run_mode, job);
  job.succeeds_when = {first_replica_rule(job)};
  const bool has_rendezvous = std::holds_alternative<TorchrunLaunch>(job.launch);
  set_failure_rules(object, has_rendezvous ? RestartUnit::kReplica : RestartUnit::kGang, job);
  job.retryable_exits = RetryableExits::kListed;
  set_tensorstack_children(where, job);
  set_tensorboard(spec.tensorboard_spec, job);
  job.training_containers = {"pytorch", "python"};
  set_port(where, kClusterPort, job);
  job.events = tensorstack_events();
  note_reserved_variables(job);
  note_endless_decider(job);
  note_scaling_weights(spec, job);
  return job;
}

}  // namespace

JobKind pytorch_training_job_kind() {
  return {.api_version = kTensorStackVersion,
          .kind = kKindName,
          .family = JobFamily::kTensorStack,
          .normalise = normalise,
          .read_status = read_tensorstack_status,
          .project = project_tensorstack_status,
          .objects = {JobObject::kTensorBoard}};
}

}  // namespace muster::jobs
