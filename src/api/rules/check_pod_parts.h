// The rules for the spec of a pod, in a Pod and in every template that pods are made from. A cluster checks the
// templates of custom resources only when their pods are created; we reject a job with an invalid template at once.
#pragma once

#include <cstdint>
#include <limits>

#include "api/rules/findings.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

inline constexpr std::int64_t kMaxId = std::numeric_limits<std::int32_t>::max();  // the highest id of a user or a group

/// `spec` has its defaults. The spec of a template is checked as the pod that would be made from it.
void check_pod_spec(const json::Document& spec, const reflect::Place& place, Findings& found);

// The functions below check parts of a pod's spec.
enum class ContainerRole { kMain, kInit };
/// Here and below, `spec` is the spec of the pod that the container belongs to.
void check_container(const json::Document& spec, const json::Document& container, ContainerRole role,
                     const reflect::Place& place, Findings& found);
void check_mounts(const json::Document& spec, const json::Document& container, const reflect::Place& place,
                  Findings& found);
void check_environment(const json::Document& container, const reflect::Place& place, Findings& found);
void check_amounts(const json::Document& container, const reflect::Place& place, Findings& found);
void check_probes(const json::Document& container, ContainerRole role, const reflect::Place& place, Findings& found);
void check_affinity(const json::Document& spec, const reflect::Place& place, Findings& found);

/// Whether Kubernetes knows the resource under a name without a prefix, such as cpu, pods and requests.memory.
bool is_standard_resource(std::string_view name);
/// Whether a member of a pod's volume, or of the spec of a persistent volume, defines what the volume is made of.
bool is_volume_source(std::string_view member);
/// Checks the sources of a pod's volume, or of the spec of a persistent volume, which may have at most one. Returns the
/// number of sources.
std::size_t check_volume_sources(const json::Document& holder, const reflect::Place& place, Findings& found);
/// Checks a path within a volume, which must be relative and must not lead out of the volume.
void check_path_inside(const std::string& path, const reflect::Place& at, Findings& found);

/// Checks the matchExpressions of a label selector, or of a node selector, which also has the operators Gt and Lt.
/// Returns true when all of them can be evaluated.
enum class SelectorOf { kLabels, kNodes };
bool check_requirements(const json::Document& selector, SelectorOf of, const reflect::Place& place, Findings& found);

}  // namespace muster::api
