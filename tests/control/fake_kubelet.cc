#include "fake_kubelet.h"

#include "api/resource.h"

namespace muster::control {

namespace {

constexpr const char* kNode = "machine";

const api::Resource& pods_resource() {
  return *api::find_resource("", "v1", "pods");
}

}  // namespace

FakeKubelet::FakeKubelet(Loop& loop, Rng& rng, client::ApiClient& client)
    : client_(client),
      informer_(loop, rng, client, pods_resource(), {},
                [this](const client::Informer::Key& key, const json::Document*, const json::Document* now) {
                  on_pod(key, now);
                }) {}

void FakeKubelet::on_pod(const client::Informer::Key& key, const json::Document* now) {
  if (now == nullptr || now->string_at("spec", "nodeName") != kNode) return;
  if (now->at("metadata", "deletionTimestamp") != nullptr) {
    client::DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    at_once.precondition_uid = now->string_at("metadata", "uid");
    client_.remove({pods_resource(), key.first, key.second}, at_once, [](Result<json::Document>) {});
    return;
  }
  if (!started_.insert(now->string_at("metadata", "uid")).second) return;
  ++starts_[key];
  write_status(key, json::Object{{"phase", "Running"},
                                 {"startTime", now->string_at("metadata", "creationTimestamp")},
                                 {"conditions", json::Array{json::Object{{"type", "Ready"}, {"status", "True"}}}},
                                 {"containerStatuses",
                                  json::Array{json::Object{{"name", "pytorch"},
                                                           {"image", "torch"},
                                                           {"imageID", ""},
                                                           {"ready", true},
                                                           {"restartCount", 0},
                                                           {"state", json::Object{{"running", json::Object{}}}}}}}});
}

void FakeKubelet::end(const std::string& ns, const std::string& name, int exit_code) {
  const json::Document ended =
      json::Object{{"exitCode", exit_code}, {"reason", exit_code == 0 ? "Completed" : "Error"}};
  write_status({ns, name}, json::Object{{"phase", exit_code == 0 ? "Succeeded" : "Failed"},
                                        {"containerStatuses",
                                         json::Array{json::Object{{"name", "pytorch"},
                                                                  {"image", "torch"},
                                                                  {"imageID", ""},
                                                                  {"ready", false},
                                                                  {"restartCount", 0},
                                                                  {"state", json::Object{{"terminated", ended}}}}}}});
}

int FakeKubelet::starts(const std::string& ns, const std::string& name) const {
  const auto found = starts_.find({ns, name});
  return found == starts_.end() ? 0 : found->second;
}

void FakeKubelet::write_status(const client::Informer::Key& key, json::Document status) {
  const json::Document patch = json::Object{{"status", std::move(status)}};
  client_.patch({pods_resource(), key.first, key.second, "status"}, client::PatchType::kMerge, patch, {},
                [](Result<json::Document>) {});
}

}  // namespace muster::control
