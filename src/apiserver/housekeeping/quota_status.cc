#include "apiserver/housekeeping/quota_status.h"

#include "apiserver/verbs/write.h"
#include "base/log.h"

namespace muster::apiserver {

void QuotaStatus::write_soon(const store::Key& quota) {
  if (const auto [at, is_new] = writing_.try_emplace(quota, false); !is_new) {
    at->second = true;
    return;
  }
  context_.loop.post(context_.lifetime.guard([this, quota] { write(quota); }));
}

void QuotaStatus::write(const store::Key& quota) {
  auto status = quotas_.status_of(quota);
  if (!status) {
    writing_.erase(quota);
    return;
  }
  writing_[quota] = false;
  edit_object(
      context_, *api::find_resource("", "v1", quota.resource), quota,
      [status = *std::move(status)](json::Document& object) -> Status {
        object["status"] = status;
        return ok();
      },
      context_.lifetime.guard([this, quota](Result<store::Bytes> result) {
        const bool gone = !result && result.error().reason == Reason::kNotFound;
        if (!result && !gone) {
          LOG_WARN("cannot write what a quota holds", {"namespace", quota.ns}, {"name", quota.name},
                   {"error", result.error().message});
        }
        const bool changed = writing_.extract(quota).mapped();
        if (changed && (result || gone)) write_soon(quota);
      }));
}

}  // namespace muster::apiserver
