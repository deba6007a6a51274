#include "agent/names/names.h"

#include <filesystem>

#include "agent/names/name_index.h"
#include "agent/names/pod_records.h"
#include "agent/pod/pod_facts.h"
#include "base/files.h"
#include "base/log.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

using json::Document;

std::vector<const Document*> in_namespace(const client::Informer::Cache& cache, const std::string& ns) {
  std::vector<const Document*> found;
  for (auto at = cache.lower_bound({ns, ""}); at != cache.end() && at->first.first == ns; ++at) {
    found.push_back(at->second.document.get());
  }
  return found;
}

/// The rest of what names depend on cannot change.
bool has_same_names(const Document& before, const Document& now) {
  const Document* old_labels = before.at("metadata", "labels");
  const Document* new_labels = now.at("metadata", "labels");
  const bool same_labels =
      old_labels == nullptr || new_labels == nullptr ? old_labels == new_labels : *old_labels == *new_labels;
  return same_labels && has_ended(before) == has_ended(now) &&
         before.string_at("metadata", "uid") == now.string_at("metadata", "uid") &&
         before.string_at("status", "podIP") == now.string_at("status", "podIP");
}

void give_back(std::map<std::string, int>& in_use, const std::string& address) {
  const auto found = in_use.find(address);
  if (found != in_use.end() && --found->second == 0) in_use.erase(found);
}

}  // namespace

void Names::use(const Cache& pods, const Cache& services) {
  pods_ = &pods;
  services_ = &services;
  // Pods that still run have the files of an earlier server bound; their content is not known.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(paths_.hosts_folder(), error)) {
    written_.emplace(entry.path().filename().string(), "");
  }
}

void Names::on_pod_changed(const Document* before, const Document* now) {
  if (now != nullptr) ++in_use_[now->string_at("status", "podIP")];
  if (before != nullptr) give_back(in_use_, before->string_at("status", "podIP"));
  if (before != nullptr && now != nullptr && has_same_names(*before, *now)) return;
  on_names_changed((now != nullptr ? now : before)->string_at("metadata", "namespace"));
}

std::string Names::address_of(const Document& pod) {
  const std::string& uid = pod.string_at("metadata", "uid");
  if (const auto given = addresses_.find(uid); given != addresses_.end()) return given->second;
  // An address in the status was given earlier, possibly by a previous server.
  std::string address = pod.string_at("status", "podIP");
  if (address.empty()) address = pick_address(uid, [this](const std::string& one) { return in_use_.contains(one); });
  ++in_use_[address];
  addresses_.emplace(uid, address);
  return address;
}

std::optional<Duration> Names::write_outdated() {
  constexpr int kPausePerWrite = 10;
  if (outdated_.empty() && !files_are_outdated_) return std::nullopt;
  const MonoTime began = loop_.mono();
  if (began < next_write_) return next_write_ - began;
  collect_outdated();
  files_are_outdated_ = false;
  for (const auto& [ns, text] : written_) write(ns);
  const MonoTime ended = loop_.mono();
  next_write_ = ended + (ended - began) * kPausePerWrite;
  return std::nullopt;
}

bool Names::collect_outdated() {
  if (outdated_.empty()) return false;
  for (const std::string& ns : std::exchange(outdated_, {})) {
    const Documents pods = in_namespace(*pods_, ns);
    const Documents services = in_namespace(*services_, ns);
    NamespaceNames names = namespace_names(ns, pods, services);
    on_change_(ns, pods, services);
    if (names.inside.empty()) {
      names_.erase(ns);
    } else {
      names_[ns] = std::move(names);
    }
  }
  files_are_outdated_ = true;
  return true;
}

void Names::write(const std::string& ns) {
  const std::string host_entries = read_file("/etc/hosts").value_or("127.0.0.1 localhost\n");
  std::string text =
      shows_other_namespaces_ ? hosts_text(ns, host_entries, names_) : hosts_text(ns, host_entries, {{ns, names_[ns]}});
  std::string& written = written_[ns];
  if (written == text) return;
  if (const auto done = linux_os::overwrite_file(paths_.hosts(ns), text, 0644); !done) {
    LOG_WARN("hosts not written", {"namespace", ns}, {"error", done.error().message});
    files_are_outdated_ = true;  // retried with the next change
    return;
  }
  written = std::move(text);
}

Status Names::prepare(const Document& pod, LaunchPlan& plan) {
  const std::string& ns = pod.string_at("metadata", "namespace");
  if (collect_outdated() || !written_.contains(ns)) write(ns);
  plan.launch.hosts = paths_.hosts(ns);
  TRY(remember_name(paths_, pod));
  return remember_pod(paths_, pod);
}

void Names::clean_up(const std::string& uid) {
  const auto given = addresses_.find(uid);
  if (given == addresses_.end()) return;
  give_back(in_use_, given->second);
  addresses_.erase(given);
}

}  // namespace muster::agent
