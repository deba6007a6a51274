// The metrics of `muster operator` that are not about its controllers.
#pragma once

#include <string>

#include "client/request_meter.h"

namespace muster {

struct OperatorFacts {
  bool leads = false;
};
void append_operator_metrics(std::string& out, const OperatorFacts& facts,
                             const client::RequestMeter::Counts& requests);

}  // namespace muster
