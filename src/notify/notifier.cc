#include "notify/notifier.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/notify_names.h"
#include "api/versions.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/backoff.h"
#include "notify/secret_target.h"

namespace muster::notify {

namespace {

constexpr client::Backoff kAttempts{.first = std::chrono::seconds(2), .longest = std::chrono::minutes(10)};
constexpr Duration kRetryRecord = std::chrono::seconds(5);
constexpr const char* kSecretPrefix = "secret/";

/// The names of the targets, and since when each exists.
const client::ObjectName& list_object() {
  static const client::ObjectName kName{{"", "v1", "configmaps"}, "kube-system", api::kNotifyTargets};
  return kName;
}

bool is_secret(const std::string& target) {
  return target.starts_with(kSecretPrefix);
}

}  // namespace

Notifier::Notifier(Loop& loop, Rng& rng, client::ApiClient& client, Sender& sender, std::vector<Target> targets)
    : loop_(loop),
      rng_(rng),
      client_(client),
      sender_(sender),
      events_(loop, client, {.component = "muster", .host = ""}),
      targets_(std::move(targets)) {}

void Notifier::start() {
  publish();
}

// ---- the targets, and since when they exist ----

/// The list of targets is also what `--notify` is checked against.
void Notifier::publish() {
  client_.get(list_object(), lifetime_.guard([this](Result<json::Document> found) {
    if (!found && found.error().reason != Reason::kNotFound) return publish_later(found.error());
    write_list(found ? *found : json::Document(json::Object{}));
  }));
}

void Notifier::publish_later(const Error& error) {
  LOG_WARN("notices wait", {"error", error.message});
  loop_.after(kRetryRecord, lifetime_.guard([this] { publish(); }));
}

void Notifier::write_list(const json::Document& known) {
  json::Object data;
  for (Target& target : targets_) {
    // Times of jobs have whole seconds.
    const Time now = std::chrono::floor<std::chrono::seconds>(loop_.now());
    target.since = parse_rfc3339(known.string_at("data", target.name)).value_or(now);
    data.append(target.name, format_rfc3339(target.since));
  }
  const json::Document* before = known.find("data");
  const bool is_same = before == nullptr ? data.empty() : *before == json::Document(data);
  if (is_same) return watch_jobs();
  json::Document object =
      json::Object{{"apiVersion", "v1"},
                   {"kind", "ConfigMap"},
                   {"metadata", json::Object{{"name", list_object().name}, {"namespace", list_object().ns}}},
                   {"data", std::move(data)}};
  auto done = lifetime_.guard([this](Result<json::Document> written) {
    if (!written) return publish_later(written.error());
    watch_jobs();
  });
  if (known.as_object().empty()) {
    client_.create(list_object().resource, list_object().ns, object, {}, std::move(done));
  } else {
    object["metadata"]["resourceVersion"] = known.string_at("metadata", "resourceVersion");
    client_.update(list_object(), object, {}, std::move(done));
  }
}

// ---- jobs ----

void Notifier::watch_jobs() {
  for (const api::Resource* kind : api::stored_resources()) {
    if (kind->pod_label.empty()) continue;  // not a kind of job
    auto informer = std::make_unique<client::Informer>(
        loop_, rng_, client_, *kind, client::ListOptions{},
        [this, kind](const client::Informer::Key& key, const json::Document*, const json::Document* now) {
          on_job(*kind, key, now);
        },
        client::Informer::TextOnly{.glance = {"metadata.annotations", "status"}});
    informers_[kind] = std::move(informer);
  }
  for (const auto& [kind, informer] : informers_) informer->start();
}

void Notifier::on_job(const api::Resource& kind, const client::Informer::Key& key, const json::Document* now) {
  const JobKey job{&kind, key.first, key.second};
  const json::Document* annotations = now == nullptr ? nullptr : now->at("metadata", "annotations");
  const json::Document none;
  const bool concerns = now != nullptr && concerns_anybody(annotations == nullptr ? none : *annotations, targets_);
  const std::string uid = concerns ? now->string_at("metadata", "uid") : "";
  const auto known = uids_.find(job);
  if (known != uids_.end() && known->second != uid) {
    forget(known->second);
    uids_.erase(known);
  }
  if (!concerns) return;
  uids_[job] = uid;
  for (const Target& target : targets_) {
    if (target.all_jobs) add({"", target.name}, job);
  }
  if (annotations == nullptr) return;
  for (const std::string& name : named_targets(*annotations)) add({is_secret(name) ? job.ns : "", name}, job);
}

void Notifier::forget(const std::string& uid) {
  auto first = progress_.lower_bound({uid, "", ""});
  while (first != progress_.end() && std::get<0>(first->first) == uid) first = progress_.erase(first);
}

// ---- lines ----

void Notifier::add(const LineId& id, const JobKey& job) {
  Line& line = lines_[id];
  if (line.queued.insert(job).second) line.waiting.push_back(job);
  serve(id);
}

void Notifier::serve(const LineId& id) {
  Line& line = lines_.at(id);
  if (line.is_busy || line.pause != 0 || line.waiting.empty()) return;
  line.is_busy = true;
  loop_.post_when_idle(lifetime_.guard([this, id] {
    Line& of = lines_.at(id);
    const JobKey job = std::move(of.waiting.front());
    of.waiting.pop_front();
    of.queued.erase(job);
    consider(id, job);
  }));
}

void Notifier::next(const LineId& id) {
  Line& line = lines_.at(id);
  line.is_busy = false;
  if (line.waiting.empty() && line.pause == 0) {
    lines_.erase(id);
    return;
  }
  serve(id);
}

void Notifier::consider(const LineId& id, const JobKey& job) {
  const auto object = informers_.at(job.kind)->find(job.ns, job.name);
  if (object == nullptr) return next(id);
  const JobNews news = news_of(*object);
  if (is_secret(id.second)) {
    // Most looks find nothing to tell, so the Secret is read only when there is something.
    if (!due_notice(news, Target{.name = id.second, .way = WebHook{}}, loop_.now())) return next(id);
    const client::ObjectName secret{
        {"", "v1", "secrets"}, job.ns, id.second.substr(std::string_view(kSecretPrefix).size())};
    client_.get(secret, lifetime_.guard([this, id, job, news](Result<json::Document> found) {
      if (!found) return consider(id, job, news, found.error());
      consider(id, job, news, target_of_secret(id.second, *found));
    }));
    return;
  }
  const auto target = std::ranges::find(targets_, id.second, &Target::name);
  if (target != targets_.end()) return consider(id, job, news, *target);
  consider(id, job, news,
           Error{.reason = Reason::kNotFound, .message = "no such target in `notify` of the configuration"});
}

void Notifier::consider(const LineId& id, const JobKey& job, const JobNews& news, const Result<Target>& target) {
  const Target unknown{.name = id.second, .way = WebHook{}};
  const auto notice = due_notice(news, target ? *target : unknown, loop_.now());
  if (!notice) return next(id);
  Progress& progress = progress_[{news.uid, id.second, notice->id}];
  if (progress.is_told) return next(id);
  ++progress.attempts;
  if (!target) {
    failed(id, job, news, *notice, target.error().message);
    return next(id);
  }
  send(id, job, news, *target, *notice);
}

void Notifier::send(const LineId& id, const JobKey& job, const JobNews& news, const Target& target,
                    const Notice& notice) {
  sender_.send(target, news, notice, lifetime_.guard([this, id, job, news, notice](const Status& status) {
    taken(id, job, news, notice, status);
  }));
}

void Notifier::taken(const LineId& id, const JobKey& job, const JobNews& news, const Notice& notice,
                     const Status& status) {
  if (!status) {
    failed(id, job, news, notice, status.error().message);
    return next(id);
  }
  lines_.at(id).failures = 0;
  progress_[{news.uid, id.second, notice.id}].is_told = true;
  record(job, news, id.second, notice.id);
  next(id);
}

void Notifier::failed(const LineId& id, const JobKey& job, const JobNews& news, const Notice& notice,
                      const std::string& why) {
  Line& line = lines_.at(id);
  Progress& progress = progress_[{news.uid, id.second, notice.id}];
  const std::string what = fmt::format("notice of {} to {} failed: {}", word_of(notice.occasion), id.second, why);
  LOG_WARN("notice not taken", {"target", id.second}, {"job", news.name}, {"attempt", progress.attempts},
           {"error", why});
  const Duration wait = kAttempts.wait(++line.failures, std::nullopt, rng_);
  line.pause = loop_.after(wait, lifetime_.guard([this, id] {
    lines_.at(id).pause = 0;
    serve(id);
  }));
  if (progress.attempts < kMostAttempts) {
    if (progress.attempts == 1) report(job, news, "NotificationFailed", what + "; muster tries again");
    // Behind the others, because they may be taken.
    if (line.queued.insert(job).second) line.waiting.push_back(job);
    return;
  }
  report(job, news, "NotificationGivenUp", fmt::format("{}; given up after {} attempts", what, progress.attempts));
  progress.is_told = true;
  record(job, news, id.second, given_up(notice.id));
}

// ---- effects ----

void Notifier::record(const JobKey& job, const JobNews& news, const std::string& target, const std::string& id) {
  json::Document patch = json::Object{
      {"metadata", json::Object{{"uid", news.uid},
                                {"annotations", json::Object{{record_key(target), record_with(news, target, id)}}}}}};
  client_.patch({*job.kind, job.ns, job.name}, client::PatchType::kMerge, patch, {},
                lifetime_.guard([this, job, news, target, id](Result<json::Document> written) {
                  if (written) return;
                  // The job is gone, or another has its name.
                  if (written.error().reason == Reason::kNotFound || written.error().reason == Reason::kConflict)
                    return;
                  LOG_WARN("notice not recorded", {"job", news.name}, {"error", written.error().message});
                  loop_.after(kRetryRecord,
                              lifetime_.guard([this, job, news, target, id] { record(job, news, target, id); }));
                }));
}

void Notifier::report(const JobKey& job, const JobNews& news, const std::string& reason, const std::string& message) {
  events_.record({.api_version = job.kind->api_version(),
                  .kind = job.kind->kind,
                  .ns = news.ns,
                  .name = news.name,
                  .uid = news.uid,
                  .resource_version = {},
                  .field_path = {}},
                 "Warning", reason, message);
}

}  // namespace muster::notify
