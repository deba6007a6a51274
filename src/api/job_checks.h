// What the checks of the job kinds have in common. For check_*_jobs.cc only.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/document.h"

namespace muster::api {

inline constexpr std::size_t kMaxPodName = 63;  // a pod's name is also its host name

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key);

/// The longest name a replica's pod would get must still be a name. Says by how much the job's is too long.
void check_name_budget(const json::Document& job, const std::string& suffix, std::vector<FieldCause>& causes);
/// The longer of the two, for the budget: what a pod's name has after the job's.
void keep_longest(std::string suffix, std::string& longest);

/// At least one container, and all that must hold of a pod. False when there is no container. `path` is that of the
/// object that has the template.
bool check_template(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes);
/// The same without the template's metadata.
bool check_template_spec(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes);
/// Whether one of the template's containers has one of the names; the template is one that check_template passed.
bool has_container(const json::Document& replica, std::initializer_list<std::string_view> names);

}  // namespace muster::api
