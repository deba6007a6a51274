#include "apiserver/housekeeping/default_accounts.h"

#include "api/resource.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/verbs/write.h"
#include "base/log.h"

namespace muster::apiserver {
namespace {

constexpr const char* kName = "default";

}  // namespace

DefaultAccounts::~DefaultAccounts() {
  for (const store::Store::Id id : subscriptions_) context_.store.unwatch(id);
}

void DefaultAccounts::start() {
  std::vector<std::string> namespaces;
  context_.store.scan("namespaces", "",
                      [&](const store::Key& key, const store::Entry&) { namespaces.push_back(key.name); });
  follow("namespaces", [this](const std::shared_ptr<const store::Event>& event) {
    if (event->type == store::EventType::kAdded) make(event->key.name);
  });
  follow("serviceaccounts", [this](const std::shared_ptr<const store::Event>& event) {
    if (event->type == store::EventType::kDeleted && event->key.name == kName) make(event->key.ns);
  });
  for (const std::string& ns : namespaces) make(ns);
}

void DefaultAccounts::follow(const std::string& resource, store::Store::OnEvent on_event) {
  const auto id = context_.store.watch(resource, context_.store.revision(), std::move(on_event));
  CHECK(id.has_value());  // the current revision is always in the history
  subscriptions_.push_back(*id);
}

void DefaultAccounts::make(const std::string& ns) {
  const store::Entry* found = context_.store.latest({"namespaces", "", ns});
  if (found == nullptr) return;
  const auto parsed = json::parse(*found->bytes);
  if (!parsed || !parsed->string_at("metadata", "deletionTimestamp").empty()) return;
  const api::Resource& accounts = *api::find_resource("", "v1", "serviceaccounts");
  const store::Key key = key_of(accounts, ns, kName);
  if (context_.store.latest(key) != nullptr) return;
  json::Document object = json::Object{{"kind", accounts.kind},
                                       {"apiVersion", accounts.api_version()},
                                       {"metadata", json::Object{{"name", kName}, {"namespace", ns}}}};
  stamp_new(accounts, object, context_.rng, context_.loop.now());
  store_new(context_, accounts, key, std::move(object), false, [ns](Result<store::Bytes> result) {
    if (!result) LOG_WARN("cannot create service account", {"namespace", ns}, {"error", result.error().message});
  });
}

}  // namespace muster::apiserver
