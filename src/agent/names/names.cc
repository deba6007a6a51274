#include "agent/names/names.h"

#include <unistd.h>

#include <cerrno>
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

/// Namespaces have no dots, and networks begin with theirs.
std::string namespace_of(const std::string& file) {
  return file.substr(0, file.find('.'));
}

std::string host_entries_of_machine() {
  return read_file("/etc/hosts").value_or("127.0.0.1 localhost\n");
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
    written_.try_emplace(entry.path().filename().string());
  }
}

void Names::on_pod_changed(const Document* before, const Document* now) {
  if (now != nullptr) ++in_use_[now->string_at("status", "podIP")];
  if (before != nullptr) give_back(in_use_, before->string_at("status", "podIP"));
  if (now != nullptr) count(*now, 1);
  if (before != nullptr) count(*before, -1);
  if (before != nullptr && now != nullptr && has_same_names(*before, *now)) return;
  on_names_changed((now != nullptr ? now : before)->string_at("metadata", "namespace"));
}

void Names::count(const Document& pod, int change) {
  const std::string network = has_ended(pod) ? "" : network_of_(pod);
  if (network.empty()) return;
  if ((pods_in_[network] += change) > 0) return;
  pods_in_.erase(network);
  remove(network);
}

void Names::remove(const std::string& network) {
  if (written_.erase(network) == 0) return;
  if (::unlink(paths_.hosts(network).c_str()) != 0 && errno != ENOENT)
    LOG_WARN("not removed", {"file", paths_.hosts(network)}, {"error", errno_error("unlink", errno).message});
}

void Names::remove_unused() {
  std::vector<std::string> unused;
  for (const auto& [file, its] : written_) {
    if (file != namespace_of(file) && !pods_in_.contains(file)) unused.push_back(file);
  }
  for (const std::string& network : unused) remove(network);
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
  const std::string host_entries = host_entries_of_machine();
  for (const auto& [file, its] : written_) write(file, host_entries);
  const MonoTime ended = loop_.mono();
  next_write_ = ended + (ended - began) * kPausePerWrite;
  return std::nullopt;
}

void Names::collect_outdated() {
  if (outdated_.empty()) return;
  for (const std::string& ns : std::exchange(outdated_, {})) {
    const Documents pods = in_namespace(*pods_, ns);
    const Documents services = in_namespace(*services_, ns);
    on_change_(ns, pods, services);
    if (pods.empty()) {
      names_.erase(ns);
    } else {
      names_[ns] = namespace_names(ns, pods, services, network_of_);
    }
  }
  files_are_outdated_ = true;
  ++round_;
}

void Names::write(const std::string& file, const std::string& host_entries) {
  const std::string ns = namespace_of(file);
  const auto known = names_.find(ns);
  // The pods of the file have not been reported yet, or are all gone.
  if (known == names_.end() && written_.contains(file)) return;
  std::string text;
  if (file == ns && shows_other_namespaces_) {
    text = hosts_text(ns, host_entries, names_);
  } else {
    NamespaceNames names;
    if (known != names_.end()) {
      const auto network = known->second.networks.find(file);
      if (file == ns) names.inside = known->second.inside;
      if (network != known->second.networks.end()) names.inside = network->second;
    }
    text = hosts_text(ns, host_entries, {{ns, std::move(names)}});
  }
  File& written = written_[file];
  written.round = round_;
  if (written.text == text) return;
  if (const auto done = linux_os::overwrite_file(paths_.hosts(file), text, 0644); !done) {
    LOG_WARN("hosts not written", {"file", file}, {"error", done.error().message});
    files_are_outdated_ = true;  // retried with the next change
    return;
  }
  written.text = std::move(text);
}

Status Names::prepare(const Document& pod, LaunchPlan& plan) {
  std::string file = network_of_(pod);
  if (file.empty()) file = pod.string_at("metadata", "namespace");
  collect_outdated();
  const auto written = written_.find(file);
  if (written == written_.end() || written->second.round != round_) write(file, host_entries_of_machine());
  plan.launch.hosts = paths_.hosts(file);
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
