#include "web/pages/page_objects.h"

#include "api/resource.h"
#include "apiserver/verbs/write.h"
#include "json/document.h"

namespace muster::web {
namespace {

std::string uid_of(const apiserver::Context& context, const api::Resource& resource, const PageName& page) {
  const store::Entry* entry = context.store.get(apiserver::key_of(resource, page.ns, page.name));
  const auto object = entry == nullptr ? std::nullopt : std::optional(json::parse(*entry->bytes));
  return object && *object ? (*object)->string_at("metadata", "uid") : "";
}

}  // namespace

std::string uid_of_page(const apiserver::Context& context, const PageName& page) {
  std::string uid = uid_of(context, *api::find_kind("tensorstack.dev/v1beta1", page.kind->kind), page);
  if (!uid.empty() || page.kind != &tensorboard_pages()) return uid;
  return uid_of(context, *api::find_kind("apps/v1", "Deployment"), page);
}

}  // namespace muster::web
