// Reads which kinds a cluster has, with the rights that the operator has.
#pragma once

#include <string>
#include <vector>

#include "cli/connect/session.h"
#include "control/runtime/kind_choice.h"

namespace muster {

struct FoundKinds {
  control::KindChoices choices;
  std::vector<std::string> notes;  // for people: what is not run or was not checked, in one sentence each
};
/// Reads the CRDs; without the right to do so, the discovery documents, which everybody may read. With `namespaces`
/// nothing is listed that belongs to the whole cluster.
Result<FoundKinds> read_kinds(cli::Session& session, client::ApiClient& api, const control::Wishes& wishes,
                              const std::vector<std::string>& namespaces);

}  // namespace muster
