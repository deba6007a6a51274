#include "agent/agent.h"

#include <fmt/core.h>

#include <filesystem>

#include "agent/addresses.h"
#include "agent/log_reader.h"
#include "agent/name_index.h"
#include "agent/shim_program.h"
#include "agent/state.h"
#include "agent/volumes.h"
#include "api/owners.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

Options with_absolute_directory(Options options) {
  // Symbolic links are resolved, so that comparing paths as text shows whether one lies inside another.
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(options.directory), error);
  if (!error) options.directory = real.string();
  return options;
}

bool is_final(const Document& pod) {
  const std::string& phase = pod.string_at("status", "phase");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

Agent::State::State(Loop& loop, Rng& rng, client::ApiClient& client, Options options)
    : loop_(loop),
      rng_(rng),
      client_(client),
      options_(with_absolute_directory(std::move(options))),
      paths_(options_.directory),
      trash_(paths_.trash()),
      machine_(look_at_machine()),
      events_(loop, client, {.component = "muster-agent", .host = options_.node_name}) {}

Agent::State::~State() {
  *alive_ = false;
  // Running shims continue without the agent. Closing its socket makes a shim that waits for "go" exit.
  for (auto& [uid, run] : runs_) {
    unfollow(run);
    if (run.timer_id != 0) loop_.cancel(run.timer_id);
  }
  if (inotify_id_ != 0) loop_.cancel(inotify_id_);
}

Status Agent::State::start() {
  for (const std::string& folder : {paths_.root(), paths_.pods(), paths_.hosts_folder()})
    TRY(make_directories(folder, 0700));
  TRY(trash_.start());
  TRY_ASSIGN(shim_program_, install_shim(paths_.root()));
  TRY_ASSIGN(auto inotify, linux_os::Inotify::open());
  inotify_.emplace(std::move(inotify));
  inotify_id_ = loop_.on_readable(inotify_->fd(), [this] { on_records_changed(); });
  recover();
  register_node();

  const auto make = [this](const char* plural, const std::string& field_selector,
                           client::Informer::OnChange on_change) {
    client::ListOptions selector;
    selector.field_selector = field_selector;
    return std::make_unique<client::Informer>(loop_, rng_, client_, client::ResourceName("", "v1", plural), selector,
                                              std::move(on_change));
  };
  using Key = client::Informer::Key;
  pods_ = make("pods", "spec.nodeName=" + options_.node_name,
               [this](const Key&, const Document* before, const Document* now) { on_pod(before, now); });
  services_ = make("services", "", [this](const Key& key, const Document*, const Document*) { want_hosts(key.first); });
  claims_ = make("persistentvolumeclaims", "", [this](const Key&, const Document*, const Document* now) {
    if (now != nullptr) bind_claim(*now);
    want_waiting();
  });
  const auto on_reference = [this](const Key&, const Document*, const Document*) { want_waiting(); };
  config_maps_ = make("configmaps", "", on_reference);
  secrets_ = make("secrets", "", on_reference);
  for (client::Informer* informer : {pods_.get(), services_.get(), claims_.get(), config_maps_.get(), secrets_.get()}) {
    informer->start();
    informer->when_synced([this] {
      if (ready_ || !synced()) return;
      ready_ = true;
      for (const auto& [uid, run] : runs_) want_sync(uid);
      for (const auto& [uid, key] : keys_) want_sync(uid);
      forget_old_logs();
    });
  }
  return ok();
}

bool Agent::State::synced() const {
  return pods_->synced() && services_->synced() && claims_->synced() && config_maps_->synced() && secrets_->synced();
}

void Agent::State::register_node() {
  const client::ObjectName node{client::ResourceName("", "v1", "nodes"), "", options_.node_name, "status"};
  const Document status{Object{{"status", node_status(options_, machine_, loop_.now())}}};
  client_.create({"", "v1", "nodes"}, "", node_object(options_, machine_), {},
                 [this, alive = alive_, node, status](Result<Document> made) {
                   if (!*alive) return;
                   if (!made && made.error().reason != Reason::kAlreadyExists) {
                     LOG_WARN("node not registered, trying again", {"error", made.error().message});
                     loop_.after(std::chrono::seconds(1), [this, alive] {
                       if (*alive) register_node();
                     });
                     return;
                   }
                   client_.patch(node, client::PatchType::kMerge, status, {}, [](Result<Document> patched) {
                     if (!patched) LOG_WARN("node status not written", {"error", patched.error().message});
                   });
                 });
}

/// A claim is a folder; it is bound as soon as the folder exists.
void Agent::State::bind_claim(const Document& claim) {
  if (claim.string_at("status", "phase") == "Bound" || claim.at("metadata", "deletionTimestamp") != nullptr) return;
  const std::string folder = claim_folder(claim, paths_);
  const std::string key = claim.string_at("metadata", "namespace") + "/" + claim.string_at("metadata", "name");
  if (const auto made = make_directories(folder, 0755); !made) {
    LOG_WARN("claim not bound", {"claim", key}, {"error", made.error().message});
    return;
  }
  Document status{Object{{"phase", "Bound"}}};
  if (const Document* modes = claim.at("spec", "accessModes")) status["accessModes"] = *modes;
  if (const Document* size = claim.at("spec", "resources", "requests", "storage")) {
    status["capacity"] = Object{{"storage", *size}};
  }
  client_.patch({client::ResourceName("", "v1", "persistentvolumeclaims"), claim.string_at("metadata", "namespace"),
                 claim.string_at("metadata", "name"), "status"},
                client::PatchType::kMerge, Document{Object{{"status", std::move(status)}}}, {},
                [key](Result<Document> done) {
                  if (!done && done.error().reason != Reason::kNotFound) {
                    LOG_WARN("claim's status not written", {"claim", key}, {"error", done.error().message});
                  }
                });
}

std::vector<const Document*> in_namespace(const client::Informer::Cache& cache, const std::string& ns) {
  std::vector<const Document*> found;
  for (auto at = cache.lower_bound({ns, ""}); at != cache.end() && at->first.first == ns; ++at) {
    found.push_back(at->second.document.get());
  }
  return found;
}

void Agent::State::note_address(const Document* before, const Document* now) {
  if (now != nullptr) ++shown_addresses_[now->string_at("status", "podIP")];
  if (before == nullptr) return;
  const auto old = shown_addresses_.find(before->string_at("status", "podIP"));
  if (old != shown_addresses_.end() && --old->second == 0) shown_addresses_.erase(old);
}

void Agent::State::on_pod(const Document* before, const Document* now) {
  note_address(before, now);
  const Document& either = now != nullptr ? *now : *before;
  const std::string& ns = either.string_at("metadata", "namespace");
  const std::string& name = either.string_at("metadata", "name");
  const std::string old_uid = before != nullptr ? before->string_at("metadata", "uid") : "";
  const std::string new_uid = now != nullptr ? now->string_at("metadata", "uid") : "";
  if (!old_uid.empty() && old_uid != new_uid) {
    keys_.erase(old_uid);
    want_sync(old_uid);
  }
  if (!new_uid.empty()) {
    keys_[new_uid] = {ns, name};
    want_sync(new_uid);
  }
  want_hosts(ns);
  gang_members_.clear();
  // This pod may have been the last one that its gang waited for.
  const bool has_come = now != nullptr && !now->string_at("status", "podIP").empty() &&
                        (before == nullptr || before->string_at("status", "podIP").empty());
  if (has_come && api::gang_size(*now) > 1) want_waiting();
}

void Agent::State::want_sync(const std::string& uid) {
  to_sync_.insert(uid);
  if (std::exchange(drain_posted_, true)) return;
  loop_.post([this, alive = alive_] {
    if (*alive) drain();
  });
}

void Agent::State::want_hosts(const std::string& ns) {
  hosts_to_write_.insert(ns);
  want_sync("");
}

void Agent::State::want_waiting() {
  waiting_to_sync_ = true;
  want_sync("");
}

void Agent::State::drain() {
  drain_posted_ = false;
  if (!ready_) return;
  write_all_hosts();
  if (std::exchange(waiting_to_sync_, false)) {
    for (const auto& [uid, run] : runs_) {
      if (run.step == Step::kWaiting) to_sync_.insert(uid);
    }
  }
  // Pods are synced in slices, because each sync may start processes: requests are served between two slices.
  constexpr std::size_t kSyncedAtOnce = 16;
  if (syncing_.empty()) syncing_ = std::exchange(to_sync_, {});
  for (std::size_t i = 0; i < kSyncedAtOnce && !syncing_.empty(); ++i) {
    const std::string uid = std::move(syncing_.extract(syncing_.begin()).value());
    if (!uid.empty()) sync(uid);
  }
  if ((syncing_.empty() && to_sync_.empty()) || std::exchange(drain_posted_, true)) return;
  loop_.post_when_idle([this, alive = alive_] {
    if (*alive) drain();
  });
}

/// Writing the names costs time in proportion to all pods of a namespace, and every change of a pod requests it. The
/// pause afterwards is proportional, so that a thousand pods do not occupy the loop; a pod that starts meanwhile has
/// its names written first.
void Agent::State::write_all_hosts() {
  constexpr int kPausePerWrite = 10;
  const MonoTime began = loop_.mono();
  if (hosts_to_write_.empty()) return;
  if (began < next_hosts_) {
    if (hosts_timer_ != 0) return;
    hosts_timer_ = loop_.after(next_hosts_ - began, [this, alive = alive_] {
      if (!*alive) return;
      hosts_timer_ = 0;
      want_sync("");
    });
    return;
  }
  for (const std::string& ns : std::exchange(hosts_to_write_, {})) write_hosts(ns);
  const MonoTime ended = loop_.mono();
  next_hosts_ = ended + (ended - began) * kPausePerWrite;
}

std::shared_ptr<const Document> Agent::State::find_pod(const std::string& uid) const {
  const auto key = keys_.find(uid);
  return key == keys_.end() ? nullptr : pods_->find(key->second.first, key->second.second);
}

PodRun* Agent::State::find_run(const std::string& uid) {
  const auto found = runs_.find(uid);
  return found == runs_.end() ? nullptr : &found->second;
}

void Agent::State::sync(const std::string& uid) {
  const auto pod = find_pod(uid);
  PodRun* run = find_run(uid);
  if (pod == nullptr) {
    if (run != nullptr) sync_gone(*run);
    return;
  }
  const bool deleted = pod->at("metadata", "deletionTimestamp") != nullptr;
  if (run == nullptr) {
    if (is_final(*pod) && !deleted) return;  // ended before this agent started
    run = &runs_[uid];
    run->uid = uid;
  }
  if (deleted) return sync_deleted(*run, *pod);
  if (run->step == Step::kLookAgain) take_verdict(*run, examine_attempt(paths_.attempt(uid, run->attempt)));
  if (is_final(*pod) && !run->has_process()) return;
  if (run->address.empty()) run->address = give_address(uid, *pod);
  if (run->step == Step::kWaiting && may_start(*run, *pod)) try_start(*run, *pod);
  push_status(*run, *pod);
}

void Agent::State::after(PodRun& run, Duration delay) {
  if (run.timer_id != 0) loop_.cancel(run.timer_id);
  run.timer_id = loop_.after(delay, [this, uid = run.uid] {
    if (PodRun* late = find_run(uid)) late->timer_id = 0;
    sync(uid);
  });
}

void Agent::State::write_hosts(const std::string& ns) {
  const std::vector<const Document*> pods = in_namespace(pods_->cache(), ns);
  const std::vector<const Document*> services = in_namespace(services_->cache(), ns);
  std::string text = hosts_text(ns, read_file("/etc/hosts").value_or("127.0.0.1 localhost\n"), pods, services);
  if (hosts_written_[ns] == text) return;
  if (const auto written = linux_os::overwrite_file(paths_.hosts(ns), text, 0644); !written) {
    LOG_WARN("hosts not written", {"namespace", ns}, {"error", written.error().message});
    hosts_to_write_.insert(ns);  // retried with the next change or the next start
    return;
  }
  hosts_written_[ns] = std::move(text);
}

Agent::Agent(Loop& loop, Rng& rng, client::ApiClient& client, Options options)
    : state_(std::make_unique<State>(loop, rng, client, std::move(options))) {}

Agent::~Agent() = default;

Status Agent::start() {
  return state_->start();
}

Result<std::unique_ptr<client::LogStream>> Agent::read_log(const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end) {
  const Paths& paths = state_->paths_;
  std::optional<std::string> uid = request.pod_uid;
  if (uid->empty()) uid = previous_holder(paths, request.ns, request.pod, "");
  std::optional<int> attempt = uid ? last_attempt(paths, *uid) : std::nullopt;
  if (request.previous) {
    if (attempt && *attempt > 0) {
      --*attempt;
    } else {
      uid = uid ? previous_holder(paths, request.ns, request.pod, *uid) : std::nullopt;
      attempt = uid ? last_attempt(paths, *uid) : std::nullopt;
    }
    if (!attempt) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("previous terminated container {} in pod {} not found",
                                          quote(request.container), quote(request.pod))};
    }
  }
  if (!attempt) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("container {} in pod {} is waiting to start: ContainerCreating",
                                        quote(request.container), quote(request.pod))};
  }
  return open_log_stream(state_->loop_, paths.attempt(*uid, *attempt), request, std::move(on_text), std::move(on_end));
}

}  // namespace muster::agent
