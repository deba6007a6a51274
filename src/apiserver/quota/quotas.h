// Quotas tracks the resource usage of namespaces in memory and rejects writes that would exceed a ResourceQuota.
//
// The usage is that of the committed objects, updated by the store's events, plus reservations for writes that were
// accepted but are not yet durable. Reservations keep concurrent writes from exceeding a quota together. A restart
// counts from scratch. Loop thread only. The status of a ResourceQuota is written a moment later, by
// housekeeping/quota_status.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/quota/quota_usage.h"
#include "base/lifetime.h"
#include "base/result.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

class Quotas {
 public:
  explicit Quotas(store::Store& store) : store_(store) {}
  ~Quotas();
  Quotas(const Quotas&) = delete;
  Quotas& operator=(const Quotas&) = delete;

  /// `on_change` learns of each quota whose status may have changed.
  void start(std::function<void(const store::Key&)> on_change);
  /// Returns the status of a ResourceQuota as it should be; nullopt when there is no such quota.
  std::optional<json::Document> status_of(const store::Key& quota) const;

  /// Reserves the usage of an accepted write. Destroying the last copy releases it.
  using Reservation = std::shared_ptr<void>;
  /// Returns Forbidden if creating or growing the object would exceed a quota. `before` is null for a new object.
  Result<Reservation> reserve(const api::Resource& resource, const std::string& ns, const json::Document* before,
                              const json::Document& after);

 private:
  struct Quota {
    json::Document object;
    Amounts hard;
    Amounts used;
    Amounts reserved;
  };
  using InNamespace = std::map<std::string, Quota>;

  void on_event(const store::Event& event);
  void on_quota(const store::Event& event);
  void set(const store::Key& key, const std::string& bytes);
  void count(const store::Key& key, Quota& quota) const;
  void release(const std::string& ns, const std::map<std::string, Amounts>& held);
  void tell_changed(const std::string& ns) const;

  store::Store& store_;
  std::function<void(const store::Key&)> on_change_;
  std::map<std::string, InNamespace> quotas_;
  std::vector<store::Store::Id> subscriptions_;
  Lifetime lifetime_;
};

}  // namespace muster::apiserver
