// What every handler of the server needs. Owned by ApiServer; loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/host_folders.h"
#include "api/resource.h"
#include "apiserver/quota/quotas.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "node/node_api.h"
#include "store/store.h"

namespace muster::apiserver {

/// What the pods of this engine may ask for, by its machine and its configuration.
struct NodePolicy {
  api::HostFolders folders;
  /// Returns what is wrong with a folder that a claim names, such as that it does not exist; "" for nothing. May be
  /// null.
  std::function<std::string(const std::string& path)> missing_folder = nullptr;
  /// Returns what to tell about an image, such as that nothing is configured for it; "" for nothing. May be null.
  std::function<std::string(const std::string& image)> warn_about_image = nullptr;
  bool strict_queues = false;   // a queue that does not exist is refused
  bool publishes_ports = true;  // those that pods name as hostPort; not in the network of the machine
};

/// What the objects of one namespace may take; the default is far above what many thousands of jobs need.
struct NamespaceLimits {
  std::size_t objects = 250'000;
  std::size_t bytes = std::size_t{1} << 30;
};

struct Context {
  Loop& loop;
  Rng& rng;
  store::Store& store;
  node::NodeApi* node = nullptr;                                    // null while there is no node
  Quotas* quotas = nullptr;                                         // set while the server lives
  std::function<bool(const api::Resource&)> is_acted_on = nullptr;  // as Options has it
  std::optional<NodePolicy> node_policy = std::nullopt;             // as Options has it
  NamespaceLimits namespace_limits = {};                            // as Options has it
  Lifetime lifetime;                                                // of the server
};

}  // namespace muster::apiserver
