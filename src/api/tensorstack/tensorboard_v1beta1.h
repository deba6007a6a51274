// tensorstack.dev/v1beta1: TensorBoard and Notebook, programs with a web page of their own.
#pragma once

#include <algorithm>
#include <string_view>

#include "api/kubernetes/core_v1.h"
#include "api/tensorstack/scheduler_v1beta1.h"

namespace muster::api {

struct TensorBoardPvcSource {
  std::string name;
  std::vector<std::string> sub_path;  // also spelt subpath
};
struct TensorBoardSecretRef {
  std::string name;
};
struct TensorBoardS3Source {
  std::optional<TensorBoardSecretRef> secret_ref;
  std::vector<std::string> uri;
};
struct TensorBoardHttpSource {
  std::vector<std::string> url;
};
struct TensorBoardLogDir {
  std::vector<TensorBoardPvcSource> pvc;
  std::optional<TensorBoardS3Source> s3;
  std::optional<TensorBoardHttpSource> http;
};

/// There are two forms, the older trainingLogFilesets and the newer logDir; when both are given, both are used.
struct TensorBoardSpec {
  std::vector<std::string> training_log_filesets;  // t9k://pvc/NAME/PATH, t9k://minio/SECRET/BUCKET/PATH
  std::optional<TensorBoardLogDir> log_dir;
  std::string image;
  std::optional<ResourceRequirements> resources;
  std::optional<bool> suspend;
  std::string run_mode;  // older than suspend
  std::optional<SchedulePolicy> scheduler;
};

struct PodReferenceName {
  std::string name;
  std::string uid;
};
struct PodReference {
  std::optional<PodReferenceName> reference;
  std::string phase;
};
/// Of every kind with a page that a pod serves.
struct PageStatus {
  std::string phase;  // Initializing, Running, Suspended, Failed
  std::optional<PodReference> pod;
  std::vector<Condition> conditions;  // Idle, Ready, Suspended
  std::string url;                    // absolute, without a token
  std::optional<std::int64_t> observed_generation;
};
struct TensorBoard {
  ObjectMeta metadata;
  TensorBoardSpec spec;
  PageStatus status;
};

/// TensorStack's way into a notebook without a browser. Here it has no effect.
struct NotebookSsh {
  std::optional<bool> enabled;
  std::vector<std::string> authorized_keys;  // names of Secrets
  std::string service_type;
};
struct NotebookSpec {
  std::string type;  // jupyter
  PodTemplateSpec template_;
  std::optional<bool> suspend;
  std::optional<std::int64_t> stop_after_idle_seconds;  // never when not set
  std::optional<SchedulePolicy> scheduler;
  std::optional<NotebookSsh> ssh;
};
struct Notebook {
  ObjectMeta metadata;
  NotebookSpec spec;
  PageStatus status;
};

// What the controller adds to the pod of a Notebook: the token that JupyterLab asks for, and where it finds it.
inline constexpr const char* kNotebookTokenVolume = "notebook-token";
inline constexpr const char* kNotebookTokenFolder = "/run/notebook-token";

/// The container that runs JupyterLab: the one with this name, else the first. Others are the user's own. There must be
/// one; `name_of` returns the name of each.
inline constexpr std::string_view kNotebookContainer = "notebook";
template <typename Containers, typename NameOf>
auto find_notebook_container(Containers& containers, NameOf name_of) {
  const auto found = std::ranges::find(containers, kNotebookContainer, name_of);
  return found == containers.end() ? containers.begin() : found;
}

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::TensorBoardPvcSource>);
TypeDesc describe(Of<api::TensorBoardSecretRef>);
TypeDesc describe(Of<api::TensorBoardS3Source>);
TypeDesc describe(Of<api::TensorBoardHttpSource>);
TypeDesc describe(Of<api::TensorBoardLogDir>);
TypeDesc describe(Of<api::TensorBoardSpec>);
TypeDesc describe(Of<api::PodReferenceName>);
TypeDesc describe(Of<api::PodReference>);
TypeDesc describe(Of<api::PageStatus>);
TypeDesc describe(Of<api::TensorBoard>);
TypeDesc describe(Of<api::NotebookSsh>);
TypeDesc describe(Of<api::NotebookSpec>);
TypeDesc describe(Of<api::Notebook>);

}  // namespace muster::reflect
