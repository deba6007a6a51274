#include "web/jobs/object_fields.h"

#include <algorithm>

#include "jobs/kind.h"
#include "jobs/summary.h"

namespace muster::web {
namespace {

using json::Document;

constexpr std::string_view kSummary = "summary";
constexpr std::size_t kMostCached = 16'384;  // about 10 MB

std::vector<std::string> prefixed(std::string_view prefix, const std::vector<std::string>& names) {
  const auto is_inside = [&names](const std::string& name) {
    return std::ranges::any_of(names, [&name](const std::string& other) { return name.starts_with(other + "."); });
  };
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (name != kSummary && !is_inside(name)) paths.push_back(std::string(prefix) + name);
  }
  return paths;
}

std::vector<std::string> kept_paths(ObjectFields::Text text, const std::vector<std::string>& fields) {
  if (text == ObjectFields::Text::kObject) return prefixed("", fields);
  std::vector<std::string> paths = prefixed("object.", fields);
  paths.emplace_back("type");
  return paths;
}

/// What a summary is made from. The rest, mostly managedFields, is half of an object and is not parsed.
const json::Excerpt& summary_source(ObjectFields::Text text) {
  static const std::vector<std::string> kSource = {"apiVersion",
                                                   "kind",
                                                   "metadata.name",
                                                   "metadata.namespace",
                                                   "metadata.uid",
                                                   "metadata.annotations",
                                                   "metadata.labels",
                                                   "metadata.deletionTimestamp",
                                                   "metadata.generation",
                                                   "metadata.creationTimestamp",
                                                   "spec",
                                                   "status"};
  static const json::Excerpt kObject(prefixed("", kSource));
  static const json::Excerpt kEvent(prefixed("object.", kSource));
  return text == ObjectFields::Text::kObject ? kObject : kEvent;
}

const json::Excerpt& identity(ObjectFields::Text text) {
  static const std::vector<std::string> kIdentity = {"metadata.uid", "metadata.resourceVersion"};
  static const json::Excerpt kObject(prefixed("", kIdentity));
  static const json::Excerpt kEvent(prefixed("object.", kIdentity));
  return text == ObjectFields::Text::kObject ? kObject : kEvent;
}

/// Null when the object is not a job.
Document summary_of(const Document& object) {
  return jobs::kind_of_job(object) == nullptr ? Document() : jobs::encode(jobs::summarise(object));
}

void add_summary(Document summary, Document& object) {
  if (!summary.is_null() && object.is_object()) object.as_object().append(std::string(kSummary), std::move(summary));
}

/// The items of a list say what they are only if the list holds several kinds.
void name_kind(const Document& list, Document& item) {
  if (item.find("kind") != nullptr) return;
  std::string kind = list.string_at("kind");
  if (kind.ends_with("List")) kind.resize(kind.size() - 4);
  item["apiVersion"] = list.string_at("apiVersion");
  item["kind"] = std::move(kind);
}

}  // namespace

const Document* SummaryCache::find(const std::string& uid, const std::string& revision) const {
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() || found->second.revision != revision ? nullptr : &found->second.summary;
}

void SummaryCache::put(const std::string& uid, std::string revision, Document summary) {
  // The jobs that are shown come again at once.
  if (by_uid_.size() >= kMostCached) by_uid_.clear();
  by_uid_.insert_or_assign(uid, Entry{std::move(revision), std::move(summary)});
}

ObjectFields::ObjectFields(Text text, const std::vector<std::string>& fields, SummaryCache* cache)
    : text_(text),
      with_summary_(std::ranges::find(fields, kSummary) != fields.end()),
      kept_(kept_paths(text, fields)),
      cache_(cache) {}

Result<Document> ObjectFields::read(std::string_view text) const {
  TRY_ASSIGN(Document kept, kept_.read(text));
  if (with_summary_) add_summary(make_summary(text), text_ == Text::kObject ? kept : kept["object"]);
  return kept;
}

Document ObjectFields::make_summary(std::string_view text) const {
  const auto object_in = [this](const Result<Document>& read) -> const Document* {
    if (!read) return nullptr;
    return text_ == Text::kObject ? &*read : read->find("object");
  };
  const auto named = identity(text_).read(text);
  const Document* name = object_in(named);
  if (name == nullptr) return {};
  const std::string& uid = name->string_at("metadata", "uid");
  const std::string& revision = name->string_at("metadata", "resourceVersion");
  if (const Document* known = cache_ != nullptr ? cache_->find(uid, revision) : nullptr) return *known;
  const auto source = summary_source(text_).read(text);
  const Document* object = object_in(source);
  Document summary = object == nullptr ? Document() : summary_of(*object);
  if (cache_ != nullptr && !summary.is_null()) cache_->put(uid, revision, summary);
  return summary;
}

Result<Document> ObjectFields::read_list(std::string_view text) const {
  TRY_ASSIGN(Document kept, kept_.read_list(text));
  if (!with_summary_) return kept;
  TRY_ASSIGN(Document source, summary_source(Text::kObject).read_list(text));
  Document* items = kept.find("items");
  Document* sources = source.find("items");
  if (items == nullptr || !items->is_array() || sources == nullptr) return kept;
  for (std::size_t i = 0; i < items->as_array().size(); ++i) {
    name_kind(source, sources->as_array()[i]);
    add_summary(summary_of(sources->as_array()[i]), items->as_array()[i]);
  }
  return kept;
}

std::string with_summary(std::string_view object) {
  std::string out(object);
  const auto source = summary_source(ObjectFields::Text::kObject).read(object);
  const Document summary = source ? summary_of(*source) : Document();
  // A job has members already, so one more can stand before its last brace.
  if (!summary.is_null()) out.insert(out.rfind('}'), ",\"summary\":" + json::serialize(summary));
  return out;
}

}  // namespace muster::web
