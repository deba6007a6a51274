// What must hold of a pod, in a Pod and in every template that pods are made from. A cluster leaves the templates of
// custom resources to the day their pods are made; here a job that could never have its pods is refused at once.
#pragma once

#include <cstdint>
#include <limits>

#include "api/rules/findings.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

inline constexpr std::int64_t kMaxId = std::numeric_limits<std::int32_t>::max();  // of a user or a group

/// Of a pod with its defaults, or of a template as the pod that would be made from it.
void check_pod_spec(const json::Document& spec, const reflect::Place& place, Findings& found);

// Its parts.
enum class ContainerRole { kMain, kInit };
/// `spec` is that of the pod the container belongs to; here and below.
void check_container(const json::Document& spec, const json::Document& container, ContainerRole role,
                     const reflect::Place& place, Findings& found);
void check_mounts(const json::Document& spec, const json::Document& container, const reflect::Place& place,
                  Findings& found);
void check_environment(const json::Document& container, const reflect::Place& place, Findings& found);
void check_amounts(const json::Document& container, const reflect::Place& place, Findings& found);
void check_probes(const json::Document& container, ContainerRole role, const reflect::Place& place, Findings& found);
void check_affinity(const json::Document& spec, const reflect::Place& place, Findings& found);

/// Whether a member of a pod's volume, or of the spec of a persistent volume, says what the volume is made of.
bool is_volume_source(std::string_view member);
/// The sources of a pod's volume, or of the spec of a persistent volume: at most one, and what each may be. Returns how
/// many there are.
std::size_t check_volume_sources(const json::Document& holder, const reflect::Place& place, Findings& found);
/// A path within a volume: relative, and not above it.
void check_path_inside(const std::string& path, const reflect::Place& at, Findings& found);

/// The matchExpressions of a selector by labels, or of one of nodes, which can compare too. True when all of them can
/// be evaluated.
enum class SelectorOf { kLabels, kNodes };
bool check_requirements(const json::Document& selector, SelectorOf of, const reflect::Place& place, Findings& found);

}  // namespace muster::api
