// Records which pods have had a name, to find the logs of earlier attempts after their pods are deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

Status remember_name(const Paths& paths, const json::Document& pod);
/// Returns the pod that had this name before `uid`, under the same owner; the most recent one when `uid` is "".
std::optional<std::string> previous_holder(const Paths& paths, const std::string& ns, const std::string& pod,
                                           const std::string& uid);
/// Returns the pod that was this attempt, by its label, under the most recent owner of the name.
std::optional<std::string> holder_of_attempt(const Paths& paths, const std::string& ns, const std::string& pod,
                                             std::int64_t attempt);

/// Returns true when the pod with this uid has had the name, as far as that is remembered.
bool has_held(const Paths& paths, const std::string& ns, const std::string& pod, const std::string& uid);

/// Makes the names belong to the namespace with this uid. Names of an earlier namespace are forgotten: whoever may read
/// the new one must not find logs and measures of the old one.
Status begin_namespace(const Paths& paths, Trash& trash, const std::string& ns, const std::string& uid);
/// Forgets the names of a namespace that was deleted.
Status end_namespace(const Paths& paths, Trash& trash, const std::string& ns);

/// Returns the files of names that mention pods without a folder, or pods in `going`, whose folders will be removed.
/// Reads all of them: for the disk threads.
std::vector<std::string> outdated_names(const Paths& paths, const std::set<std::string>& going);
/// Forgets those pods, and the name when none is left. Loop thread only, as all that writes these files.
Status forget_gone_pods(const Paths& paths, const std::string& names_file);

}  // namespace muster::agent
