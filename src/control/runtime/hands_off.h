// When the operator leaves an object on a cluster alone, and what it says about that. Pure.
#pragma once

#include <optional>
#include <string>

#include "control/plan.h"

namespace muster::control {

struct HandsOff {
  std::string why;  // the same text is told about an object only once
  Plan plan;        // what tells it
};

/// Returns who else, a program, has written the status of the object; "" when nobody has.
std::string other_writer_of_status(const json::Document& object);

/// For an object of a kind whose CRD does not store what we write: one Warning, and a condition if the CRD stores
/// those.
HandsOff refuse_object(const json::Document& object, const std::string& why, Time now);
/// For an object whose status another controller writes.
HandsOff leave_to_writer(const json::Document& object, const std::string& writer);
/// For an object of a kind that another operator runs. That one gets a minute to show itself on the object, which then
/// needs no event of ours.
HandsOff leave_to_operator(const json::Document& object, const std::string& kind, const std::string& who, Time now);

}  // namespace muster::control
