// Warnings about jobs and notebooks that are valid but probably a mistake, by kind. Pure; the job may still lack its
// defaults.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"

namespace muster::api {

std::vector<std::string> warn_pytorch_training_job(const json::Document& job);
std::vector<std::string> warn_tensorflow_training_job(const json::Document& job);
std::vector<std::string> warn_xgboost_training_job(const json::Document& job);
std::vector<std::string> warn_tensorstack_mpi_job(const json::Document& job);
std::vector<std::string> warn_generic_job(const json::Document& job);
std::vector<std::string> warn_pytorch_job(const json::Document& job);
std::vector<std::string> warn_tf_job(const json::Document& job);
std::vector<std::string> warn_kubeflow_mpi_job(const json::Document& job);
std::vector<std::string> warn_notebook(const json::Document& notebook);

}  // namespace muster::api
