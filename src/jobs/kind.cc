#include "jobs/kind.h"

#include <array>

#include "jobs/kinds/generic_job.h"
#include "jobs/kinds/kubeflow_mpi_job.h"
#include "jobs/kinds/pytorch_job.h"
#include "jobs/kinds/pytorch_training_job.h"
#include "jobs/kinds/tensorflow_training_job.h"
#include "jobs/kinds/tensorstack_mpi_job.h"
#include "jobs/kinds/tf_job.h"
#include "jobs/kinds/xgboost_training_job.h"

namespace muster::jobs {

std::span<const JobKind> job_kinds() {
  static const std::array kKinds = {pytorch_training_job_kind(),
                                    tensorflow_training_job_kind(),
                                    xgboost_training_job_kind(),
                                    tensorstack_mpi_job_kind(),
                                    generic_job_kind(),
                                    pytorch_job_kind(),
                                    tf_job_kind(),
                                    kubeflow_mpi_job_kind()};
  return kKinds;
}

const JobKind* find_job_kind(std::string_view api_version, std::string_view kind) {
  for (const JobKind& known : job_kinds()) {
    if (known.api_version == api_version && known.kind == kind) return &known;
  }
  return nullptr;
}

namespace {

std::string_view group_of(std::string_view api_version) {
  return api_version.substr(0, api_version.find('/'));
}

const JobKind* find_in_any_version(std::string_view group, std::string_view kind) {
  for (const JobKind& known : job_kinds()) {
    if (known.kind == kind && group_of(known.api_version) == group) return &known;
  }
  return nullptr;
}

}  // namespace

const JobKind* kind_of_job(const json::Document& object) {
  return find_in_any_version(group_of(object.string_at("apiVersion")), object.string_at("kind"));
}

std::optional<JobKind> job_kind_in(const api::Resource& resource) {
  const JobKind* known = find_in_any_version(resource.group, resource.kind);
  if (known == nullptr) return std::nullopt;
  JobKind kind = *known;
  kind.api_version = resource.type->field("apiVersion")->constant;
  return kind;
}

}  // namespace muster::jobs
