// ClaimUsage: how much of the disk each claim takes. Claims are measured one after the other on the disk threads: when
// they appear, after files were written through the API, and now and then, because programs in pods also write. The
// number is kept here and, when it changed, written to an annotation of the claim.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "base/ports.h"
#include "client/api_client.h"
#include "client/informer.h"
#include "node/claim_files.h"

namespace muster::agent {

class ClaimUsage {
 public:
  using Cache = client::Informer::Cache;
  using Key = client::Informer::Key;

  ClaimUsage(Loop& loop, client::ApiClient& client, const Paths& paths, DiskThreads& disk)
      : loop_(loop), client_(client), paths_(paths), disk_(disk) {}
  ~ClaimUsage();
  ClaimUsage(const ClaimUsage&) = delete;
  ClaimUsage& operator=(const ClaimUsage&) = delete;

  /// `claims` is the informer's cache. Measures all of them, now and from time to time.
  void start(const Cache& claims);
  /// `before` or `now` is null when the claim did not exist, or does not exist any more.
  void on_claim_changed(const Key& key, const json::Document* before, const json::Document* now);
  /// Files were written: the claim is measured again shortly.
  void on_written(const json::Document& claim);
  std::optional<node::ClaimUse> find(const json::Document& claim) const;

 private:
  void measure_all();
  void measure(const Key& key);
  void measure_next();
  void on_measured(const Key& key, const std::string& uid, const node::ClaimUse& use);
  void annotate(const json::Document& claim, const node::ClaimUse& use);

  Loop& loop_;
  client::ApiClient& client_;
  const Paths& paths_;
  DiskThreads& disk_;
  const Cache* claims_ = nullptr;
  std::deque<Key> waiting_;
  bool is_measuring_ = false;
  std::map<std::string, node::ClaimUse> by_uid_;
  std::map<Key, Loop::Id> soon_;  // timers of claims that were written to
  Loop::Id timer_ = 0;
};

}  // namespace muster::agent
