#include "apiserver/housekeeping/definitions.h"

#include <set>

#include "api/resource.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/verbs/delete.h"
#include "apiserver/verbs/write.h"
#include "base/log.h"

namespace muster::apiserver {
namespace {

using json::Document;

const api::Resource& definitions() {
  return *api::find_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
}

Document condition(const char* type, const char* reason, const char* message, Time now) {
  return json::Object{{"type", type},
                      {"status", "True"},
                      {"lastTransitionTime", format_rfc3339(now)},
                      {"reason", reason},
                      {"message", message}};
}

Document status_of(const Document& definition, const api::Resource& resource, Time now) {
  return json::Object{{"conditions", json::Array{condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
                                                 condition("Established", "InitialNamesAccepted",
                                                           "the initial names have been accepted", now)}},
                      {"acceptedNames", *definition.at("spec", "names")},
                      {"storedVersions", json::Array{resource.version}}};
}

void log_failure(const std::string& name, const Result<store::Bytes>& result) {
  if (!result) LOG_ERROR("cannot write a definition", {"name", name}, {"error", result.error().message});
}

void write_one(Context& context, const api::Resource& resource) {
  const Time now = context.loop.now();
  const std::string name = resource.qualified_name();
  const store::Key key = key_of(definitions(), "", name);
  Document wanted = api::crd(resource);
  wanted["spec"]["conversion"] = json::Object{{"strategy", "None"}};
  wanted["status"] = status_of(wanted, resource, now);
  const auto done = [name](Result<store::Bytes> result) { log_failure(name, result); };
  if (context.store.latest(key) == nullptr) {
    stamp_new(definitions(), wanted, context.rng, now);
    return store_new(context, definitions(), key, std::move(wanted), false, done);
  }
  edit_object(
      context, definitions(), key,
      [&wanted](Document& object) -> Status {
        if (object["spec"] == *wanted.find("spec")) return ok();
        object["spec"] = *wanted.find("spec");
        object["status"] = *wanted.find("status");
        return ok();
      },
      done);
}

}  // namespace

void write_definitions(Context& context) {
  std::set<std::string> served;
  for (const api::Resource& resource : api::resources()) {
    if (!resource.has_own_crd()) continue;
    served.insert(resource.qualified_name());
    write_one(context, resource);
  }
  std::vector<store::Key> stale;
  context.store.scan(definitions().qualified_name(), "", [&](const store::Key& key, const store::Entry&) {
    if (!served.contains(key.name)) stale.push_back(key);
  });
  for (const store::Key& key : stale) {
    remove_object(context, definitions(), key, {}, [name = key.name](Result<Removed> gone) {
      if (!gone) LOG_ERROR("cannot remove a definition", {"name", name}, {"error", gone.error().message});
    });
  }
}

}  // namespace muster::apiserver
