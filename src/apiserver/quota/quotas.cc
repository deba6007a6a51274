#include "apiserver/quota/quotas.h"

#include <fmt/core.h>

#include "api/versions.h"
#include "apiserver/errors/status_error.h"
#include "base/check.h"

namespace muster::apiserver {
namespace {

constexpr const char* kQuotas = "resourcequotas";

/// Returns the object's usage that counts against the quota; empty when the quota's scopes exclude the object.
Amounts taken(const json::Document& quota, const Amounts& hard, const std::string& resource,
              const json::Document& object) {
  Amounts usage;
  if (!quota_covers(quota, resource, object)) return usage;
  for (auto& [name, amount] : quota_usage(resource, object)) {
    if (hard.contains(name)) usage.emplace(name, amount);
  }
  return usage;
}

/// Returns the object to measure; it is not parsed when only the number of objects counts.
json::Document as_counted(const std::string& resource, const store::Entry& entry) {
  if (counts_by_number(resource)) return json::Object();
  auto parsed = json::parse(*entry.bytes);
  return parsed ? *std::move(parsed) : json::Document(json::Object());
}

json::Document as_list(const Amounts& amounts) {
  json::Object list;
  for (const auto& [name, amount] : amounts) list.append(name, amount.text());
  return list;
}

}  // namespace

Quotas::~Quotas() {
  for (const store::Store::Id id : subscriptions_) store_.unwatch(id);
}

void Quotas::start(std::function<void(const store::Key&)> on_change) {
  on_change_ = std::move(on_change);
  store_.scan(kQuotas, "", [this](const store::Key& key, const store::Entry& entry) { set(key, *entry.bytes); });
  for (const api::Resource* resource : api::stored_resources()) {
    if (resource->scope != api::Scope::kNamespaced) continue;
    const auto id = store_.watch(resource->qualified_name(), store_.revision(),
                                 [this](const std::shared_ptr<const store::Event>& event) { on_event(*event); });
    CHECK(id.has_value());  // the current revision is always in the history
    subscriptions_.push_back(*id);
  }
}

void Quotas::on_event(const store::Event& event) {
  const store::Key& key = event.key;
  const auto found = quotas_.find(key.ns);
  if (found != quotas_.end()) {
    const bool number_only = counts_by_number(key.resource);
    if (!(number_only && event.type == store::EventType::kModified)) {
      const bool gone = event.type == store::EventType::kDeleted;
      const json::Document before =
          event.type == store::EventType::kAdded ? json::Document() : as_counted(key.resource, event.previous);
      const json::Document after = gone ? json::Document() : as_counted(key.resource, event.entry);
      for (auto& [name, quota] : found->second) {
        if (!before.is_null()) {
          for (const auto& [what, amount] : taken(quota.object, quota.hard, key.resource, before)) {
            quota.used[what].subtract(amount);
          }
        }
        if (gone) continue;
        for (const auto& [what, amount] : taken(quota.object, quota.hard, key.resource, after)) {
          quota.used[what].add(amount);
        }
      }
      tell_changed(key.ns);
    }
  }
  if (key.resource == kQuotas) on_quota(event);
}

void Quotas::on_quota(const store::Event& event) {
  const store::Key& key = event.key;
  if (event.type != store::EventType::kDeleted) return set(key, *event.entry.bytes);
  const auto found = quotas_.find(key.ns);
  if (found == quotas_.end()) return;
  found->second.erase(key.name);
  if (found->second.empty()) quotas_.erase(found);
}

void Quotas::set(const store::Key& key, const std::string& bytes) {
  auto object = json::parse(bytes);
  if (!object) return;
  Quota& quota = quotas_[key.ns][key.name];
  const json::Document* spec = object->find("spec");
  const json::Document* known = quota.object.find("spec");
  const bool same = spec != nullptr && known != nullptr && *spec == *known;
  quota.object = *std::move(object);
  if (!same) {
    quota.hard = amounts_of(quota.object.at("spec", "hard"));
    count(key, quota);
  }
  tell_changed(key.ns);
}

void Quotas::count(const store::Key& key, Quota& quota) const {
  quota.used.clear();
  for (const auto& [name, amount] : quota.hard) quota.used[name] = Amount::count(0);
  for (const api::Resource* resource : api::stored_resources()) {
    if (resource->scope != api::Scope::kNamespaced) continue;
    const std::string name = resource->qualified_name();
    store_.scan(name, key.ns, [&](const store::Key&, const store::Entry& entry) {
      for (const auto& [what, amount] : taken(quota.object, quota.hard, name, as_counted(name, entry))) {
        quota.used[what].add(amount);
      }
    });
  }
}

Result<Quotas::Reservation> Quotas::reserve(const api::Resource& resource, const std::string& ns,
                                            const json::Document* before, const json::Document& after) {
  const auto found = quotas_.find(ns);
  if (found == quotas_.end() || resource.scope != api::Scope::kNamespaced) return Reservation();
  const std::string kind = resource.qualified_name();
  if (before != nullptr && counts_by_number(kind)) return Reservation();
  const std::string& object_name = after.string_at("metadata", "name");
  std::map<std::string, Amounts> held;
  for (auto& [name, quota] : found->second) {
    if (before == nullptr && kind == "pods" && quota_covers(quota.object, kind, after)) {
      if (const std::string missing = missing_for_quota(quota.hard, after); !missing.empty()) {
        return forbidden(resource, object_name, fmt::format("failed quota: {}: must specify {}", name, missing));
      }
    }
    Amounts wanted = taken(quota.object, quota.hard, kind, after);
    if (before != nullptr) {
      for (const auto& [what, amount] : taken(quota.object, quota.hard, kind, *before)) {
        if (const auto at = wanted.find(what); at != wanted.end()) at->second.subtract(amount);
      }
      std::erase_if(wanted, [](const auto& item) { return item.second.quantity <= Quantity(); });
    }
    Amounts used = quota.used;
    for (const auto& [what, amount] : quota.reserved) used[what].add(amount);
    std::vector<std::string> exceeded;
    for (const auto& [what, amount] : wanted) {
      Amount sum = used[what];
      sum.add(amount);
      if (sum.quantity > quota.hard[what].quantity) exceeded.push_back(what);
    }
    if (!exceeded.empty()) {
      return forbidden(
          resource, object_name,
          fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", name, amounts_text(wanted, exceeded),
                      amounts_text(used, exceeded), amounts_text(quota.hard, exceeded)));
    }
    if (!wanted.empty()) held.emplace(name, std::move(wanted));
  }
  for (const auto& [name, amounts] : held) {
    Quota& quota = found->second[name];
    for (const auto& [what, amount] : amounts) quota.reserved[what].add(amount);
  }
  // Destroying the last copy of the handle releases the reservation, whether or not the write succeeded.
  return Reservation(nullptr, lifetime_.guard([this, ns, held = std::move(held)](void*) { release(ns, held); }));
}

void Quotas::release(const std::string& ns, const std::map<std::string, Amounts>& held) {
  const auto found = quotas_.find(ns);
  if (found == quotas_.end()) return;
  for (const auto& [name, amounts] : held) {
    const auto quota = found->second.find(name);
    if (quota == found->second.end()) continue;
    for (const auto& [what, amount] : amounts) {
      Amount& reserved = quota->second.reserved[what];
      reserved.subtract(amount);
      // A quota of the same name that was created in the meantime does not contain this reservation.
      if (reserved.quantity <= Quantity()) quota->second.reserved.erase(what);
    }
  }
}

void Quotas::tell_changed(const std::string& ns) const {
  const auto found = quotas_.find(ns);
  if (found == quotas_.end()) return;
  for (const auto& [name, quota] : found->second) on_change_({kQuotas, ns, name});
}

std::optional<json::Document> Quotas::status_of(const store::Key& quota) const {
  const auto in = quotas_.find(quota.ns);
  if (in == quotas_.end()) return std::nullopt;
  const auto found = in->second.find(quota.name);
  if (found == in->second.end()) return std::nullopt;
  return json::Object{{"hard", as_list(found->second.hard)}, {"used", as_list(found->second.used)}};
}

}  // namespace muster::apiserver
