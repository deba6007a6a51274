#include "arena/requests/delete_job.h"

#include <fmt/core.h>

#include "api/resource.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

Status remove_object(cli::Session& session, const client::ObjectName& object) {
  client::DeleteOptions options;
  options.propagation_policy = "Background";
  auto gone = session.await([&](client::OnDocument done) { session.api().remove(object, options, std::move(done)); });
  if (gone || gone.error().reason == Reason::kNotFound) return ok();
  return std::move(gone).error();
}

/// Reads a line of the record, "deployment.apps/mnist-tensorboard". Returns nullopt for a kind that we do not know.
std::optional<client::ObjectName> recorded_object(const std::string& line, const std::string& ns) {
  const std::size_t slash = line.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const api::Resource* resource = api::find_typed(line.substr(0, slash));
  if (resource == nullptr) return std::nullopt;
  return client::ObjectName{*resource, ns, line.substr(slash + 1)};
}

}  // namespace

Status delete_job(Context& context, const FoundJob& job) {
  cli::Session& session = context.session;
  const client::ObjectName record{{"", "v1", "configmaps"}, job.job.ns, record_name(job.job.name, *job.job.type)};
  const auto found = session.get(record);
  if (!found && found.error().reason != Reason::kNotFound) return found.error();
  TRY(remove_object(session, {job.resource, job.job.ns, job.job.name}));
  if (!found) return ok();
  for (const std::string& line : split(found->string_at("data", "app"), '\n')) {
    const auto object = recorded_object(line, job.job.ns);
    if (object && object->resource.plural != job.resource.plural) TRY(remove_object(session, *object));
  }
  TRY(remove_object(session, record));
  session.out(fmt::format("configmap \"{}\" deleted\n", record.name));
  return ok();
}

}  // namespace muster::arena
