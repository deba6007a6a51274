// The job kinds: each is an adapter between its documents and the one job model. A new kind is a new entry here.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/resource.h"
#include "jobs/kinds/adapter.h"
#include "json/document.h"

namespace muster::jobs {

std::span<const JobKind> job_kinds();
const JobKind* find_job_kind(std::string_view api_version, std::string_view kind);
/// Returns the kind of the object, in whichever version it was read; null when it is not a job.
const JobKind* kind_of_job(const json::Document& object);
/// Returns the kind in the version of the resource, which may be all that a cluster serves; nullopt if it is not a job.
std::optional<JobKind> job_kind_in(const api::Resource& resource);

}  // namespace muster::jobs
