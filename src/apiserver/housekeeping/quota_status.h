// QuotaStatus writes into each ResourceQuota what its namespace uses, a moment after that changed: many changes of one
// turn of the loop are one write. Loop thread only.
#pragma once

#include <map>

#include "apiserver/context/context.h"
#include "apiserver/quota/quotas.h"

namespace muster::apiserver {

class QuotaStatus {
 public:
  /// Both live as long as the server.
  QuotaStatus(Context& context, const Quotas& quotas) : context_(context), quotas_(quotas) {}

  void write_soon(const store::Key& quota);

 private:
  void write(const store::Key& quota);

  Context& context_;
  const Quotas& quotas_;
  std::map<store::Key, bool> writing_;  // whether the quota changed again since its write began
};

}  // namespace muster::apiserver
