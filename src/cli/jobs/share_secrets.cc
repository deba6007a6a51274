#include "cli/jobs/share_secrets.h"

#include <fmt/core.h>

#include "client/share_ownership.h"
#include "jobs/verbs.h"

namespace muster::cli {

void share_secrets(Session& session, const std::string& ns, const json::Document& job, const json::Document& copy) {
  std::vector<client::ObjectName> secrets;
  for (const std::string& name : jobs::secrets_named_in(copy)) {
    secrets.push_back({{"", "v1", "secrets"}, ns, name});
  }
  if (secrets.empty()) return;
  const auto shared = session.await([&](client::OnDocument done) {
    client::share_ownership(
        session.api(), secrets, job.string_at("metadata", "uid"), jobs::owner_reference(copy),
        [done = std::move(done)](const Status& how) mutable { how ? done(json::Document()) : done(how.error()); });
  });
  if (shared) return;
  session.err(fmt::format("warning: {} uses Secrets that are deleted with {}: {}\n", copy.string_at("metadata", "name"),
                          job.string_at("metadata", "name"), shared.error().message));
}

}  // namespace muster::cli
