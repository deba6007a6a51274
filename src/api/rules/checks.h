// Rules over several fields, one function per kind that has such rules. Each takes an object with defaults set and a
// validated schema, and reports all problems at once with a kube-apiserver's messages. Used as Resource::rules.
#pragma once

#include "api/rules/findings.h"
#include "json/document.h"

namespace muster::api {

void check_pod(const json::Document& pod, Findings& found);
void check_service(const json::Document& service, Findings& found);
void check_self_subject_access_review(const json::Document& review, Findings& found);
void check_persistent_volume(const json::Document& volume, Findings& found);
void check_persistent_volume_claim(const json::Document& claim, Findings& found);
void check_config_map(const json::Document& map, Findings& found);
void check_secret(const json::Document& secret, Findings& found);
void check_namespace(const json::Document& ns, Findings& found);
void check_node(const json::Document& node, Findings& found);
void check_event(const json::Document& event, Findings& found);
void check_resource_quota(const json::Document& quota, Findings& found);
void check_deployment(const json::Document& deployment, Findings& found);
void check_priority_class(const json::Document& priority, Findings& found);
void check_pytorch_training_job(const json::Document& job, Findings& found);
void check_tensorflow_training_job(const json::Document& job, Findings& found);
void check_xgboost_training_job(const json::Document& job, Findings& found);
void check_tensorstack_mpi_job(const json::Document& job, Findings& found);
void check_generic_job(const json::Document& job, Findings& found);
void check_notebook(const json::Document& notebook, Findings& found);
void check_tensorboard(const json::Document& board, Findings& found);
void check_pytorch_job(const json::Document& job, Findings& found);
void check_tf_job(const json::Document& job, Findings& found);
void check_kubeflow_mpi_job(const json::Document& job, Findings& found);

// These report changes to immutable fields. Used as Resource::change_rules.
void check_config_map_change(const json::Document& before, const json::Document& after, Findings& found);
void check_deployment_change(const json::Document& before, const json::Document& after, Findings& found);
void check_pod_change(const json::Document& before, const json::Document& after, Findings& found);
void check_kubeflow_job_change(const json::Document& before, const json::Document& after, Findings& found);
void check_priority_class_change(const json::Document& before, const json::Document& after, Findings& found);
void check_resource_quota_change(const json::Document& before, const json::Document& after, Findings& found);
void check_secret_change(const json::Document& before, const json::Document& after, Findings& found);
void check_tensorstack_job_change(const json::Document& before, const json::Document& after, Findings& found);
void check_volume_change(const json::Document& before, const json::Document& after, Findings& found);
void check_volume_claim_change(const json::Document& before, const json::Document& after, Findings& found);

}  // namespace muster::api
