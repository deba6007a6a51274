// What the members of a pod may be, in a pod and in the template of a deployment, beyond what check_pod_spec() asks of
// the templates of jobs too: those are custom resources, and a cluster leaves their pods to the day they are made.
#pragma once

#include "api/findings.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

void check_pod_values(const json::Document& spec, const reflect::Place& place, Findings& found);

// Its parts.
enum class ContainerRole { kMain, kInit };
void check_container_values(const json::Document& container, ContainerRole role, bool host_network,
                            const reflect::Place& place, Findings& found);
void check_environment(const json::Document& container, const reflect::Place& place, Findings& found);
void check_amounts(const json::Document& container, const reflect::Place& place, Findings& found);
/// Of a volume of a pod, or of the spec of a persistent volume: at most one, and what each may be. How many there are.
std::size_t check_volume_sources(const json::Document& holder, const reflect::Place& place, Findings& found);
void check_affinity(const json::Document& spec, const reflect::Place& place, Findings& found);
void check_probes(const json::Document& container, ContainerRole role, const reflect::Place& place, Findings& found);

/// The matchExpressions of a selector by labels, or of one of nodes, which can compare too. True when all of them can
/// be evaluated.
enum class SelectorOf { kLabels, kNodes };
bool check_requirements(const json::Document& selector, SelectorOf of, const reflect::Place& place, Findings& found);

}  // namespace muster::api
