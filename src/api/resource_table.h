// The parts of the table in resource.cc.
#pragma once

#include "api/resource.h"

namespace muster::api {

std::vector<std::string> all_verbs();
/// The kinds that are not built into Kubernetes.
std::vector<Resource> custom_resources();

/// The rules of a Cron and the warnings about the job inside it. Unlike all other rules they need the table itself: the
/// job may be of any kind.
void check_cron(const json::Document& cron, Findings& found);
std::vector<std::string> warn_cron(const json::Document& cron);

}  // namespace muster::api
