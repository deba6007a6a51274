#include "agent/sync/pod_status_writer.h"

#include <fmt/core.h>

#include "agent/logs/termination_message.h"
#include "agent/pod/status.h"
#include "base/log.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr Duration kRetryWrite = std::chrono::seconds(1);

client::ObjectName object_name(const Document& pod, const std::string& subresource = "") {
  return {client::ResourceName("", "v1", "pods"), pod.string_at("metadata", "namespace"),
          pod.string_at("metadata", "name"), subresource};
}

}  // namespace

PodStatusWriter::PodStatusWriter(Loop& loop, client::ApiClient& client, const std::string& node,
                                 ReadEndOfLog end_of_log, std::function<void(const std::string&)> on_done)
    : loop_(loop),
      client_(client),
      events_(loop, client, {.component = "muster-agent", .host = node}),
      end_of_log_(std::move(end_of_log)),
      on_done_(std::move(on_done)) {}

bool PodStatusWriter::show(const Document& pod, const PodView& view) {
  const std::string& uid = pod.string_at("metadata", "uid");
  Progress& progress = pods_[uid];
  if (progress.is_writing) return false;
  const std::string& version = pod.string_at("metadata", "resourceVersion");
  // The informer does not show the last write yet; this is called again when it does.
  if (!progress.outdated.empty() && progress.outdated == version) return false;
  Document status = pod_status(pod, with_log_messages(pod, view, [&](const std::string& container, int run) {
                                 return end_of_log_(uid, container, run);
                               }));
  const Document* shown = pod.find("status");
  if (shown != nullptr && *shown == status) return true;
  if (progress.accepted_at == version && progress.accepted == status) return true;
  progress.is_writing = true;
  Document patch{Object{}};
  patch["metadata"] = Object{{"uid", uid}, {"resourceVersion", version}};
  patch["status"] = status;
  client_.patch(object_name(pod, "status"), client::PatchType::kMerge, patch, {},
                lifetime_.guard([this, uid, version, sent = std::move(status)](Result<Document> done) mutable {
                  on_written(uid, version, std::move(sent), std::move(done));
                }));
  return false;
}

void PodStatusWriter::on_written(const std::string& uid, const std::string& version, Document sent,
                                 Result<Document> done) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Progress& progress = found->second;
  progress.is_writing = false;
  if (!done && done.error().reason == Reason::kNotFound) return;
  if (!done && done.error().reason != Reason::kConflict) {
    LOG_WARN("pod status not written, trying again", {"uid", uid}, {"error", done.error().message});
    return retry(uid);
  }
  if (done && done->string_at("metadata", "resourceVersion") == version) {
    // The server's stored form differs from ours in notation only: it found nothing to change.
    progress.accepted_at = version;
    progress.accepted = std::move(sent);
  } else {
    progress.outdated = version;
  }
  on_done_(uid);
}

void PodStatusWriter::retry(const std::string& uid) {
  loop_.after(kRetryWrite, lifetime_.guard([this, uid] { on_done_(uid); }));
}

void PodStatusWriter::remove(const Document& pod) {
  const std::string& uid = pod.string_at("metadata", "uid");
  if (std::exchange(pods_[uid].is_removing, true)) return;
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.precondition_uid = uid;
  client_.remove(object_name(pod), options, lifetime_.guard([this, uid](Result<Document> done) {
    if (done) return;
    if (done.error().reason == Reason::kNotFound || done.error().reason == Reason::kConflict) return;
    const auto late = pods_.find(uid);
    if (late == pods_.end()) return;
    LOG_WARN("pod not removed, trying again", {"uid", uid}, {"error", done.error().message});
    late->second.is_removing = false;
    retry(uid);
  }));
}

void PodStatusWriter::remove_when_ended(const Document& pod) {
  const bool is_wanted = pod.string_at("metadata", "annotations", "muster.dev/remove-when-ended") == "true";
  if (!is_wanted || !has_ended(pod) || pod.at("metadata", "deletionTimestamp") != nullptr) return;
  const client::ObjectName name = object_name(pod);
  client::DeleteOptions options;
  options.precondition_uid = pod.string_at("metadata", "uid");
  client_.remove(name, options, [name](const Result<Document>& removed) {
    if (removed || removed.error().reason == Reason::kNotFound || removed.error().reason == Reason::kConflict) return;
    LOG_WARN("ended pod not removed", {"pod", name.ns + "/" + name.name}, {"error", removed.error().message});
  });
}

void PodStatusWriter::report(const Document& pod, int launch, const PodEvent& event) {
  const std::string& uid = pod.string_at("metadata", "uid");
  const std::string key = fmt::format("{} {} {} {}", launch, event.run, event.reason, event.message);
  if (pods_[uid].reported.insert(key).second) report_again(pod, event);
}

void PodStatusWriter::report_again(const Document& pod, const PodEvent& event) {
  const api::ObjectReference about{.api_version = "v1",
                                   .kind = "Pod",
                                   .ns = pod.string_at("metadata", "namespace"),
                                   .name = pod.string_at("metadata", "name"),
                                   .uid = pod.string_at("metadata", "uid"),
                                   .resource_version = {},
                                   .field_path = {}};
  events_.record(about, event.type, event.reason, event.message);
}

}  // namespace muster::agent
