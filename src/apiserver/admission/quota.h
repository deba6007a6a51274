// Quotas: what namespaces hold, kept beside the store, and the refusal of what would be too much.
//
// The numbers are those of the committed objects, moved by the store's events, plus what is reserved by creations that
// are accepted and not yet durable: so many creations at once cannot slip through together, and a restart counts anew.
// Loop thread only. status.used follows a moment later.
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

  /// Holds what an accepted write will take until it is released, by the end of the last copy.
  using Reservation = std::shared_ptr<void>;
  /// Forbidden when the new object, or the growth of a changed one, would be too much. `before` is null for a new one.
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
