#include "cli/connect/kinds.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"

namespace muster::cli {

namespace {

std::vector<std::string> strings_of(const json::Document* list) {
  std::vector<std::string> out;
  if (list == nullptr || !list->is_array()) return out;
  for (const json::Document& item : list->as_array()) {
    if (item.is_string()) out.push_back(item.as_string());
  }
  return out;
}

std::vector<std::string> names_of(const ServedKind& kind) {
  std::vector<std::string> out = kind.short_names;
  out.push_back(kind.resource.plural);
  out.push_back(kind.singular);
  out.push_back(to_lower(kind.kind));
  return out;
}

/// `word` is in lower case: "name", "name.group" or "name.version.group".
bool answers_to(const ServedKind& kind, const std::string& word) {
  const auto names = names_of(kind);
  return std::ranges::any_of(names, [&](const std::string& name) {
    if (word == name) return true;
    if (kind.resource.group.empty()) return false;
    return word == name + "." + kind.resource.group ||
           word == name + "." + kind.resource.version + "." + kind.resource.group;
  });
}

Error bad_words(std::string message) {
  return {.reason = Reason::kBadRequest, .message = std::move(message)};
}

Error several_kinds(const std::vector<Wanted>& jobs) {
  std::vector<std::string> labels;
  for (const Wanted& one : jobs) {
    // What several kinds are called names none of them.
    const bool is_clear =
        std::ranges::count(jobs, one.kind.short_label(), [](const Wanted& job) { return job.kind.singular; }) < 2 ||
        one.kind.short_label() != one.kind.singular;
    labels.push_back((is_clear ? one.kind.short_label() : one.kind.label()) + "/" + one.name);
  }
  return bad_words(
      fmt::format("several jobs are named {}; name one of them: {}", quote(jobs.front().name), join(labels, ", ")));
}

}  // namespace

/// Rejects what cannot be a name before it becomes part of a URL or a field selector.
Status check_name(const std::string& name) {
  if (name.empty()) return bad_words("a name may not be empty");
  if (name.find(',') != std::string::npos) {
    return bad_words(fmt::format("{} is not a name; separate several names with spaces: {}", quote(name),
                                 join(split(name, ','), " ")));
  }
  if (name == "." || name == ".." || name.find_first_of("/%=!\\") != std::string::npos) {
    return bad_words(fmt::format("{} is not a name", quote(name)));
  }
  return ok();
}

ServedKind kind_of(const api::Resource& resource) {
  return {.resource = resource,
          .kind = resource.kind,
          .singular = resource.singular,
          .short_names = resource.short_names,
          .categories = resource.categories,
          .namespaced = resource.scope == api::Scope::kNamespaced};
}

std::vector<ServedKind> job_kinds() {
  std::vector<ServedKind> out;
  for (const api::Resource& resource : api::resources()) {
    if (resource.is_storage && !resource.pod_label.empty()) out.push_back(kind_of(resource));
  }
  return out;
}

std::string ServedKind::api_version() const {
  return resource.group.empty() ? resource.version : resource.group + "/" + resource.version;
}

std::string ServedKind::label() const {
  return resource.group.empty() ? singular : singular + "." + resource.group;
}

std::string ServedKind::short_label() const {
  // The singular of a core kind is short enough and reads better than "po".
  return resource.group.empty() || short_names.empty() ? singular : short_names.front();
}

Result<ServedKind> Kinds::typed(const std::string& word) {
  if (const api::Resource* known = api::find_typed(word)) return kind_of(*known);
  TRY_ASSIGN(const std::vector<ServedKind>* served, discovered());
  const std::string lower = to_lower(word);
  for (const ServedKind& kind : *served) {
    if (answers_to(kind, lower)) return kind;
  }
  return unknown(word);
}

Result<ServedKind> Kinds::of_manifest(const std::string& api_version, const std::string& kind) {
  if (const api::Resource* known = api::find_kind(api_version, kind)) return kind_of(*known);
  auto group = read_group(api_version);
  std::vector<std::string> names;
  if (group) {
    for (ServedKind& served : *group) {
      if (served.kind == kind) return std::move(served);
      names.push_back(served.kind);
    }
  } else if (group.error().reason != Reason::kNotFound) {
    return std::move(group).error();
  }
  std::string message = fmt::format("the server has no kind {} in {}", quote(kind), quote(api_version));
  std::optional<std::string> meant = did_you_mean(kind, names);
  for (const api::Resource& resource : api::resources()) {
    if (resource.kind == kind) meant = resource.kind + " in " + resource.api_version();
  }
  if (meant) message += fmt::format("; did you mean {}?", *meant);
  return Error{.reason = Reason::kNotFound, .message = std::move(message)};
}

Result<std::vector<Wanted>> Kinds::wanted(const std::vector<std::string>& words) {
  std::vector<Wanted> out;
  if (words.empty()) return out;
  if (words[0].find('/') != std::string::npos) {
    for (const std::string& word : words) {
      const std::size_t slash = word.find('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == word.size()) {
        return bad_words(
            fmt::format("expected TYPE/NAME, got {}; TYPE/NAME cannot be mixed with TYPE NAME", quote(word)));
      }
      TRY(check_name(word.substr(slash + 1)));
      if (auto kinds = several_job_kinds(word.substr(0, slash)); !kinds.empty()) {
        TRY(add_typed(word.substr(0, slash), word.substr(slash + 1), std::move(kinds), out));
        continue;
      }
      TRY_ASSIGN(ServedKind kind, typed(word.substr(0, slash)));
      out.push_back({std::move(kind), word.substr(slash + 1)});
    }
    return out;
  }
  if (words[0].empty()) return bad_words("a resource type may not be empty");
  if (const auto several = several_job_kinds(words[0]); words.size() > 1 && !several.empty()) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      TRY(check_name(words[i]));
      TRY(add_typed(words[0], words[i], several, out));
    }
    return out;
  }
  const auto kinds = typed_list(words[0]);
  if (!kinds) return jobs_named(words, kinds.error());
  for (const ServedKind& kind : *kinds) {
    if (words.size() == 1) out.push_back({kind, ""});
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].find('/') != std::string::npos) {
        return bad_words(fmt::format("expected a name after {}, got {}; TYPE/NAME cannot be mixed with TYPE NAME",
                                     quote(words[0]), quote(words[i])));
      }
      TRY(check_name(words[i]));
      out.push_back({kind, words[i]});
    }
  }
  return out;
}

bool Kinds::means_any_job(const std::string& word) {
  return word == "jobs" || (word == "job" && !typed(word));  // a cluster has a kind of that name
}

std::vector<ServedKind> Kinds::several_job_kinds(const std::string& word) {
  std::vector<ServedKind> kinds = job_kinds();
  if (means_any_job(word)) return kinds;
  const std::string lower = to_lower(word);
  std::erase_if(kinds, [&](const ServedKind& kind) { return kind.resource.plural != lower && kind.singular != lower; });
  if (kinds.size() < 2) kinds.clear();
  return kinds;
}

Status Kinds::add_typed(const std::string& type, const std::string& name, std::vector<ServedKind> kinds,
                        std::vector<Wanted>& to) {
  if (means_any_job(type)) return add_jobs_named(name, std::move(kinds), to);
  std::vector<Wanted> found;
  TRY(add_jobs_named(name, std::move(kinds), found));
  if (found.size() > 1) return several_kinds(found);
  to.push_back(std::move(found.front()));
  return ok();
}

/// People type the names of jobs where a type is expected.
Result<std::vector<Wanted>> Kinds::jobs_named(const std::vector<std::string>& names, const Error& no_type) {
  std::vector<Wanted> out;
  if (no_type.reason != Reason::kNotFound) return no_type;
  for (const std::string& name : names) {
    if (!check_name(name)) return no_type;
    std::vector<Wanted> jobs;
    if (const Status found = add_jobs_named(name, job_kinds(), jobs); !found) {
      if (found.error().reason != Reason::kNotFound) return found.error();
      return unknown_name(name, out.empty() ? no_type : found.error());
    }
    if (jobs.size() > 1) return several_kinds(jobs);
    out.push_back(std::move(jobs.front()));
  }
  return out;
}

/// Adds the name of the job that may have been meant.
Error Kinds::unknown_name(const std::string& name, Error error) {
  if (error.message.find("did you mean") != std::string::npos) return error;
  std::vector<std::string> names;
  for (const ServedKind& kind : job_kinds()) {
    const auto list = session_.list(kind.resource, session_.ns(), {});
    if (!list) continue;
    for (const json::Document& item : list->array_at("items")) names.push_back(item.string_at("metadata", "name"));
  }
  if (const auto meant = did_you_mean(name, names)) error.message += fmt::format("; did you mean {}?", quote(*meant));
  return error;
}

Status Kinds::add_jobs_named(const std::string& name, std::vector<ServedKind> kinds, std::vector<Wanted>& to) {
  const std::size_t before = to.size();
  std::optional<Error> failure;
  for (ServedKind& kind : kinds) {
    const auto found = session_.get({kind.resource, session_.ns(), name});
    if (found) to.push_back({std::move(kind), name});
    if (!found && found.error().reason != Reason::kNotFound) failure = found.error();
  }
  if (to.size() > before) return ok();
  if (failure) return *failure;
  return Error{.reason = Reason::kNotFound,
               .message = fmt::format("no job {} in namespace {}", quote(name), session_.ns())};
}

Result<std::vector<ServedKind>> Kinds::typed_list(const std::string& words) {
  std::vector<ServedKind> out;
  for (const std::string& word : split(words, ',')) {
    std::vector<ServedKind> of_category;
    for (const api::Resource& resource : api::resources()) {
      if (!resource.is_storage) continue;  // each kind once, in its storage version
      if (std::ranges::find(resource.categories, word) != resource.categories.end()) {
        of_category.push_back(kind_of(resource));
      }
    }
    if (means_any_job(word)) of_category = job_kinds();
    if (!of_category.empty()) {
      std::ranges::move(of_category, std::back_inserter(out));
      continue;
    }
    TRY_ASSIGN(ServedKind kind, typed(word));
    out.push_back(std::move(kind));
  }
  return out;
}

Result<const std::vector<ServedKind>*> Kinds::discovered() {
  if (discovered_) return &*discovered_;
  TRY_ASSIGN(std::vector<ServedKind> all, read_group("v1"));
  TRY_ASSIGN(const std::string text, session_.get_text("/apis"));
  TRY_ASSIGN(const json::Document groups, json::parse(text));
  for (const json::Document& group : groups.array_at("groups")) {
    auto kinds = read_group(group.string_at("preferredVersion", "groupVersion"));
    // An aggregated API whose server is down must not hide the others.
    if (kinds) std::ranges::move(*kinds, std::back_inserter(all));
  }
  discovered_ = std::move(all);
  return &*discovered_;
}

Result<std::vector<ServedKind>> Kinds::read_group(const std::string& group_version) {
  const std::size_t slash = group_version.find('/');
  const std::string group = slash == std::string::npos ? "" : group_version.substr(0, slash);
  const std::string version = slash == std::string::npos ? group_version : group_version.substr(slash + 1);
  TRY_ASSIGN(const std::string text, session_.get_text((group.empty() ? "/api/" : "/apis/") + group_version));
  TRY_ASSIGN(const json::Document list, json::parse(text));
  std::vector<ServedKind> out;
  for (const json::Document& resource : list.array_at("resources")) {
    const std::string& name = resource.string_at("name");
    if (name.find('/') != std::string::npos) continue;  // a subresource
    const std::string& singular = resource.string_at("singularName");
    out.push_back({.resource = {group, version, name},
                   .kind = resource.string_at("kind"),
                   .singular = singular.empty() ? to_lower(resource.string_at("kind")) : singular,
                   .short_names = strings_of(resource.find("shortNames")),
                   .categories = strings_of(resource.find("categories")),
                   .namespaced = resource.bool_at("namespaced")});
  }
  return out;
}

Error Kinds::unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const api::Resource& resource : api::resources()) {
    for (std::string& name : names_of(kind_of(resource))) names.push_back(std::move(name));
  }
  if (discovered_) {
    for (const ServedKind& kind : *discovered_) names.push_back(kind.resource.plural);
  }
  std::string message = fmt::format("the server has no resource type {}", quote(word));
  if (const auto meant = did_you_mean(word, names)) message += fmt::format("; did you mean {}?", quote(*meant));
  return {.reason = Reason::kNotFound, .message = std::move(message)};
}

}  // namespace muster::cli
