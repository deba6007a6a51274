// The flags of `muster operator`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags/flags.h"
#include "client/election.h"
#include "control/runtime/kind_choice.h"
#include "main/config.h"

namespace muster {

struct OperatorOptions {
  std::vector<std::string> kinds;
  std::vector<std::string> namespaces;  // all if empty
  std::string listen = ":8080";
  std::string leader_elect = "auto";
  std::string lease_namespace;
  client::ElectionTimes times;
  std::string log_format = "text";

  void add_flags(cli::Flags& flags);
  /// Returns what is wrong with the flags.
  Status check() const;

  /// Returns where to listen; nullopt if nowhere.
  std::optional<Address> address() const;
  bool elects(bool in_pod) const { return leader_elect == "true" || (leader_elect == "auto" && in_pod); }
};

}  // namespace muster
