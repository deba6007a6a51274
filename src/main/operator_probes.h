// What `muster operator` answers on its port: whether it lives, whether it is ready, and why not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "net/http.h"

namespace muster {

/// One condition of being ready.
struct ReadyCheck {
  std::string name;
  std::string problem;      // "" when it holds
  std::string detail = {};  // what there is to say when it holds
};

/// What the operator knows about itself. Everything about the Lease is "" or false without an election.
struct OperatorState {
  std::string server_problem = {};  // why the API server does not answer
  bool elects = false;
  bool leads = false;
  std::string lease_problem = {};
  std::string holder = {};
  std::string kinds_problem = {};  // why no kind can be run
  bool has_kinds = false;
  bool is_synced = false;
};

/// Returns the conditions that hold for a leader, or for one who waits to become it.
std::vector<ReadyCheck> ready_checks(const OperatorState& state);
/// 200 if all hold, else 503; the body has a line for each.
net::Response ready_response(const std::vector<ReadyCheck>& checks);

struct OperatorPages {
  std::function<OperatorState()> state;
  std::function<std::string()> metrics;
};
net::Response answer_operator(const OperatorPages& pages, const net::Request& request);

}  // namespace muster
