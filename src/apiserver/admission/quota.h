// Quotas tracks the resource usage of namespaces in memory and rejects writes that would exceed a ResourceQuota.
//
// The usage is that of the committed objects, updated by the store's events, plus reservations for writes that were
// accepted but are not yet durable. Reservations keep concurrent writes from exceeding a quota together. A restart
// counts from scratch. Loop thread only. status.used is written a moment later.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/admission/quota_usage.h"
#include "apiserver/context.h"
#include "base/result.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

class Quotas {
 public:
  explicit Quotas(Context& context) : context_(context), alive_(std::make_shared<bool>(true)) {}
  ~Quotas();
  Quotas(const Quotas&) = delete;
  Quotas& operator=(const Quotas&) = delete;

  void start();

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
    bool writing = false;
    bool changed = false;
  };
  using InNamespace = std::map<std::string, Quota>;

  void on_event(const store::Event& event);
  void on_quota(const store::Event& event);
  void set(const store::Key& key, const std::string& bytes);
  void count(const store::Key& key, Quota& quota) const;
  void release(const std::string& ns, const std::map<std::string, Amounts>& held);
  void write_soon(const std::string& ns);
  void write(const store::Key& key);

  Context& context_;
  std::map<std::string, InNamespace> quotas_;
  std::vector<store::Store::Id> subscriptions_;
  std::shared_ptr<bool> alive_;
};

}  // namespace muster::apiserver
