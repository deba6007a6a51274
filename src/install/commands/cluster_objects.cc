#include "install/commands/cluster_objects.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/objects/object_state.h"
#include "install/objects/metadata.h"

namespace muster::install {

namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(500);

std::string plural_of(const std::string& kind) {
  const std::string singular = to_lower(kind);
  return singular.ends_with("s") ? singular + "es" : singular + "s";
}

}  // namespace

client::ObjectName name_of(const json::Document& object) {
  const std::string& api_version = object.string_at("apiVersion");
  const auto slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string number = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  return {.resource = {group, number, plural_of(object.string_at("kind"))},
          .ns = object.string_at("metadata", "namespace"),
          .name = object.string_at("metadata", "name")};
}

std::string label_of(const json::Document& object) {
  return to_lower(object.string_at("kind")) + "/" + object.string_at("metadata", "name");
}

Result<std::optional<json::Document>> find(cli::Session& session, const client::ObjectName& object) {
  auto found = session.get(object);
  if (found) return std::optional(*std::move(found));
  if (found.error().reason == Reason::kNotFound) return std::optional<json::Document>();
  return found.error();
}

Result<json::Document> apply(cli::Session& session, const json::Document& object, const ApplyOptions& options) {
  return session.await([&](client::OnDocument done) {
    session.api().patch(name_of(object), client::PatchType::kApply, object,
                        {.field_manager = kInstallManager,
                         .field_validation = "Strict",
                         .dry_run = options.dry_run,
                         .force = options.force},
                        std::move(done));
  });
}

Status remove(cli::Session& session, const client::ObjectName& object, bool dry_run) {
  const auto gone = session.await([&](client::OnDocument done) {
    client::DeleteOptions options;
    options.propagation_policy = "Background";
    options.dry_run = dry_run;
    session.api().remove(object, options, std::move(done));
  });
  if (gone || gone.error().reason == Reason::kNotFound) return ok();
  return gone.error();
}

bool rest(cli::Session& session) {
  return session.wait_until([] { return false; }, session.loop().mono() + kBetweenLooks) !=
         cli::Session::Waited::kInterrupted;
}

std::vector<std::string> causes_of_operator(cli::Session& session, const json::Document& deployment) {
  std::vector<std::string> causes;
  for (const json::Document& condition : deployment.array_at("status", "conditions")) {
    const std::string& type = condition.string_at("type");
    if (type == "ReplicaFailure" && condition.string_at("status") == "True") {
      causes.push_back(condition.string_at("message"));
    }
  }
  client::ListOptions options;
  options.label_selector = "app.kubernetes.io/name=muster,app.kubernetes.io/component=operator";
  const auto pods = session.list({"", "v1", "pods"}, deployment.string_at("metadata", "namespace"), options);
  if (!pods) return causes;
  for (const json::Document& pod : pods->array_at("items")) {
    const std::string message = cli::waiting_cause(pod);
    if (!message.empty()) causes.push_back(fmt::format("pod {}: {}", pod.string_at("metadata", "name"), message));
  }
  return causes;
}

bool is_available(const json::Document& deployment) {
  const std::int64_t wanted = deployment.int_at("spec", "replicas");
  return deployment.int_at("status", "observedGeneration") >= deployment.int_at("metadata", "generation") &&
         deployment.int_at("status", "updatedReplicas") >= wanted &&
         deployment.int_at("status", "availableReplicas") >= wanted;
}

std::optional<cli::Failure> refuse_engine(cli::Session& session, const std::string& command) {
  const auto text = session.get_text("/version");
  if (!text) return cli::failure_of(text.error());
  const auto said = json::parse(*text);
  if (!said || said->find("musterVersion") == nullptr) return std::nullopt;
  return cli::Failure{.code = cli::kExitUsage,
                      .what = "this server is Muster's own engine, which runs these controllers itself",
                      .why = "",
                      .fix = fmt::format("name a cluster: muster {} --kubeconfig FILE, or --context NAME", command)};
}

}  // namespace muster::install
