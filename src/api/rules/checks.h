// Rules over several fields, one function per kind that has such rules. Each takes an object with defaults set and a
// validated schema, and reports all problems at once with a kube-apiserver's messages. Used as Resource::check.
#pragma once

#include <vector>

#include "base/error.h"
#include "json/document.h"

namespace muster::api {

std::vector<FieldCause> check_pod(const json::Document& pod);
std::vector<FieldCause> check_service(const json::Document& service);
std::vector<FieldCause> check_self_subject_access_review(const json::Document& review);
std::vector<FieldCause> check_persistent_volume(const json::Document& volume);
std::vector<FieldCause> check_persistent_volume_claim(const json::Document& claim);
std::vector<FieldCause> check_config_map(const json::Document& map);
std::vector<FieldCause> check_secret(const json::Document& secret);
std::vector<FieldCause> check_namespace(const json::Document& ns);
std::vector<FieldCause> check_node(const json::Document& node);
std::vector<FieldCause> check_event(const json::Document& event);
std::vector<FieldCause> check_resource_quota(const json::Document& quota);
std::vector<FieldCause> check_deployment(const json::Document& deployment);
std::vector<FieldCause> check_priority_class(const json::Document& priority);
std::vector<FieldCause> check_pytorch_training_job(const json::Document& job);
std::vector<FieldCause> check_tensorflow_training_job(const json::Document& job);
std::vector<FieldCause> check_xgboost_training_job(const json::Document& job);
std::vector<FieldCause> check_tensorstack_mpi_job(const json::Document& job);
std::vector<FieldCause> check_generic_job(const json::Document& job);
std::vector<FieldCause> check_notebook(const json::Document& notebook);
std::vector<FieldCause> check_pytorch_job(const json::Document& job);
std::vector<FieldCause> check_tf_job(const json::Document& job);
std::vector<FieldCause> check_kubeflow_mpi_job(const json::Document& job);
std::vector<FieldCause> check_cron(const json::Document& cron);

// These report changes to immutable fields. Used as Resource::check_change.
std::vector<FieldCause> check_config_map_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_deployment_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_pod_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_priority_class_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_resource_quota_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_secret_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_volume_change(const json::Document& before, const json::Document& after);
std::vector<FieldCause> check_volume_claim_change(const json::Document& before, const json::Document& after);

}  // namespace muster::api
