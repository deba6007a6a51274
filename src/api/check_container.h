// Rules for one container of a pod: its environment, mounts and resources.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

void check_container(const json::Document& container, const reflect::Place& place, std::vector<FieldCause>& causes);

}  // namespace muster::api
