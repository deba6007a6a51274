#include "arena/requests/find_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/muster/names.h"
#include "base/strings.h"

namespace muster::arena {

namespace {

using json::Document;

/// A kind of the API, which several job types may share.
struct ServedKind {
  std::string_view kind;
  std::string_view plural;
  std::vector<std::string_view> versions;
};

std::vector<ServedKind> served_kinds(const JobType* only) {
  std::vector<ServedKind> out;
  for (const JobType& type : job_types()) {
    if (only != nullptr && type.kind != only->kind) continue;
    if (std::ranges::find(out, type.kind, &ServedKind::kind) != out.end()) continue;
    out.push_back({.kind = type.kind, .plural = type.plural, .versions = type.versions});
  }
  return out;
}

client::ResourceName resource_of(const ServedKind& kind, std::size_t version) {
  return {std::string(kJobGroup), std::string(kind.versions[version]), std::string(kind.plural)};
}

struct JobList {
  client::ResourceName resource;
  json::Array items;
};

json::Excerpt glance_at_jobs() {
  // Whether a TFJob has a chief determines which pod is shown.
  return json::Excerpt({"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid",
                        std::string("metadata.labels.") + kTypeLabel, "metadata.creationTimestamp", "status.conditions",
                        "status.startTime", "status.completionTime", "status.launcherStatus", "spec.tfReplicaSpecs"});
}

json::Excerpt glance_at_pods() {
  return json::Excerpt({"metadata.name", "metadata.namespace", "metadata.labels", "metadata.ownerReferences",
                        "metadata.creationTimestamp", "status.phase", "status.hostIP"});
}

/// Returns the items without a copy, which takes as long as reading them.
json::Array take_items(Document& list) {
  Document* items = list.find("items");
  return items != nullptr && items->is_array() ? std::move(items->as_array()) : json::Array{};
}

/// Lists a kind in the first version that the server has; no jobs when it has none.
Result<JobList> list_kind(cli::Session& session, const ServedKind& kind, Result<Document> first, const std::string& ns,
                          const client::ListOptions& options) {
  for (std::size_t version = 0;; ++version) {
    if (first) return JobList{.resource = resource_of(kind, version), .items = take_items(*first)};
    if (first.error().reason != Reason::kNotFound) return std::move(first).error();
    if (version + 1 == kind.versions.size()) return JobList{};
    first = session.list(resource_of(kind, version + 1), ns, options);
  }
}

}  // namespace

std::vector<Result<Document>> list_together(cli::Session& session, const std::vector<ListQuery>& queries) {
  struct Replies {
    std::vector<std::optional<Result<Document>>> all;
    std::size_t open = 0;
  };
  auto replies = std::make_shared<Replies>();
  replies->all.resize(queries.size());
  replies->open = queries.size();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    session.api().list(queries[i].resource, queries[i].ns, queries[i].options, [replies, i](Result<Document> reply) {
      replies->all[i] = std::move(reply);
      --replies->open;
    });
  }
  session.wait_until([&] { return replies->open == 0; });
  std::vector<Result<Document>> out;
  for (auto& reply : replies->all) {
    out.push_back(reply ? *std::move(reply) : Error{.reason = Reason::kTimeout, .message = "interrupted"});
  }
  return out;
}

Result<std::vector<FoundJob>> find_jobs(Context& context, const JobQuery& query) {
  const std::vector<ServedKind> kinds = served_kinds(query.type);
  client::ListOptions of_jobs;
  client::ListOptions of_pods;
  of_pods.label_selector = api::kKubeflowJobNameLabel;
  if (!query.name.empty()) {
    of_jobs.field_selector = "metadata.name=" + query.name;
    of_pods.label_selector += "=" + query.name;
  }
  if (query.for_classic_list) {
    of_jobs.glance = glance_at_jobs();
    of_pods.glance = glance_at_pods();
  }
  std::vector<ListQuery> queries{{{"", "v1", "pods"}, query.ns, of_pods}};
  for (const ServedKind& kind : kinds) queries.push_back({resource_of(kind, 0), query.ns, of_jobs});
  auto replies = list_together(context.session, queries);
  if (!replies[0]) return std::move(replies[0]).error();
  // Each job gets its own pods only: many jobs times all pods would be slow.
  std::map<std::string, json::Array> pods_of;
  for (const Document& pod : replies[0]->array_at("items")) {
    pods_of[pod.string_at("metadata", "labels", api::kKubeflowJobNameLabel)].push_back(pod);
  }
  std::vector<FoundJob> out;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    TRY_ASSIGN(JobList list, list_kind(context.session, kinds[i], std::move(replies[i + 1]), query.ns, of_jobs));
    for (Document& object : list.items) {
      const JobType& type = type_of_job(object, kinds[i].kind);
      if (query.type != nullptr && query.type != &type) continue;
      Job job = job_of(type, object, pods_of[object.string_at("metadata", "name")]);
      out.push_back({.job = std::move(job), .object = std::move(object), .resource = list.resource});
    }
  }
  std::ranges::sort(out, [](const FoundJob& a, const FoundJob& b) { return starts_later(a.job, b.job); });
  return out;
}

std::variant<FoundJob, cli::Failure> find_job(Context& context, const std::string& name, const std::string& type_word,
                                              const std::string& missing) {
  if (!is_dns_subdomain(name)) return cli::Failure{.what = missing};
  const std::string& ns = context.session.ns();
  auto found = find_jobs(context, {.ns = ns, .type = find_type(type_word), .name = name});
  if (!found) return list_failure(context, found.error(), ns);
  if (found->size() > 1) {
    return cli::Failure{.what = fmt::format("there are more than 1 training jobs with the same name {0}, please check "
                                            "it with `arena list | grep {0}`",
                                            name),
                        .fix = "name the type: -T " + std::string(found->front().job.type->name)};
  }
  if (found->empty()) return cli::Failure{.what = missing};
  return std::move(found->front());
}

std::optional<cli::Failure> check_type(const std::string& word) {
  if (word.empty() || find_type(word) != nullptr) return std::nullopt;
  return cli::Failure{.what = fmt::format("unsupport job type,arena only supports: [{}]", type_choices())};
}

void add_type_flag(Flags& flags, std::string* word) {
  flags.add("type", word, fmt::format("The training type, the possible option is [{}]", type_choices()), 'T');
  std::vector<std::string> names;
  for (const JobType& type : job_types()) names.emplace_back(type.name);
  flags.set_choices("type", std::move(names));
}

cli::Failure list_failure(const Context& context, const Error& error, const std::string& ns) {
  if (error.reason != Reason::kForbidden) return context.failure_of(error);
  return {.what = ns.empty() ? "the user has no privileges to list the training jobs in all namespaces"
                             : "the user has no privileges to list the training jobs in namespace " + ns,
          .why = error.message};
}

}  // namespace muster::arena
