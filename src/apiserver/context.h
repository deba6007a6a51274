// What every handler of the server needs. Owned by ApiServer; loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "api/resource.h"
#include "apiserver/admission/node_policy.h"
#include "base/ports.h"
#include "client/node_api.h"
#include "store/store.h"

namespace muster::apiserver {

class Quotas;

struct Context {
  Loop& loop;
  Rng& rng;
  store::Store& store;
  client::NodeApi* node = nullptr;                                  // null while there is no node
  Quotas* quotas = nullptr;                                         // set while the server lives
  std::function<bool(const api::Resource&)> is_acted_on = nullptr;  // as Options has it
  std::optional<NodePolicy> node_policy = std::nullopt;             // as Options has it
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);       // for tasks that may outlive the server
};

}  // namespace muster::apiserver
