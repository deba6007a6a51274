// Claims: a PersistentVolumeClaim is a folder. It is bound as soon as the folder exists, protected while a pod uses it,
// and its folder is moved aside when it is deleted, so that a mistake can be undone.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"

namespace muster::agent {

class Claims {
 public:
  using Cache = client::Informer::Cache;

  Claims(client::ApiClient& client, const Paths& paths, Trash& trash);
  /// The caches are those of the informers of pods and claims.
  void use(const Cache& pods, const Cache& claims);

  void on_claim_changed(const json::Document& claim);
  /// A pod that has ended or is gone may have been the last user of a claim that is to be deleted.
  void on_pod_changed(const json::Document* now);
  /// Removes the folders of claims that were deleted longer ago than they are kept.
  void remove_old();

 private:
  void bind(const json::Document& claim);
  void release(const json::Document& claim);
  bool is_in_use(const json::Document& claim) const;
  Status move_aside(const json::Document& claim);
  void patch(const json::Document& claim, const std::string& subresource, json::Document patch);

  client::ApiClient& client_;
  const Paths& paths_;
  Trash& trash_;
  const Cache* pods_ = nullptr;
  const Cache* claims_ = nullptr;
  std::set<client::Informer::Key> deleted_;  // they wait for the end of the pods that use them
};

}  // namespace muster::agent
