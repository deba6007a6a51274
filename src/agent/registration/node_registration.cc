#include "agent/registration/node_registration.h"

#include <utility>

#include "base/log.h"

namespace muster::agent {
namespace {

constexpr Duration kTryAgain = std::chrono::seconds(1);

}  // namespace

using json::Document;
using json::Object;

NodeRegistration::NodeRegistration(Loop& loop, client::ApiClient& client, const Options& options)
    : loop_(loop), client_(client), options_(options), machine_(look_at_machine(options)) {
  times_ = {.started = loop_.now(), .disk_changed = loop_.now()};
}

NodeRegistration::~NodeRegistration() {
  loop_.cancel(retry_);
}

void NodeRegistration::start() {
  client_.create({"", "v1", "nodes"}, "", node_object(options_, machine_), {},
                 lifetime_.guard([this](Result<Document> made) {
                   if (!made && made.error().reason != Reason::kAlreadyExists) {
                     LOG_WARN("node not registered, trying again", {"error", made.error().message});
                     retry_ = loop_.after(kTryAgain, [this] { start(); });
                     return;
                   }
                   is_registered_ = true;
                   if (!made) write_metadata();
                   write_status();
                 }));
}

void NodeRegistration::show_disk_problem(const std::string& problem) {
  if (problem.empty() != disk_problem_.empty()) times_.disk_changed = loop_.now();
  disk_problem_ = problem;
  if (is_registered_) write_status();
}

/// The configuration may have changed since an earlier start. Without it only hints are wrong, so nothing is repeated.
void NodeRegistration::write_metadata() {
  const Document node = node_object(options_, machine_);
  const Document metadata{Object{{"metadata", Object{{"labels", *node.at("metadata", "labels")},
                                                     {"annotations", *node.at("metadata", "annotations")}}}}};
  client_.patch({client::ResourceName("", "v1", "nodes"), "", options_.node_name}, client::PatchType::kMerge, metadata,
                {}, lifetime_.guard([](const Result<Document>& patched) {
                  if (!patched) LOG_WARN("node metadata not written", {"error", patched.error().message});
                }));
}

/// A full disk may refuse it.
void NodeRegistration::write_status() {
  loop_.cancel(std::exchange(retry_, 0));
  const client::ObjectName node{client::ResourceName("", "v1", "nodes"), "", options_.node_name, "status"};
  const Document status{Object{{"status", node_status(options_, machine_, disk_problem_, times_)}}};
  client_.patch(node, client::PatchType::kMerge, status, {}, lifetime_.guard([this](const Result<Document>& patched) {
    if (patched) return;
    LOG_WARN("node status not written, trying again", {"error", patched.error().message});
    loop_.cancel(std::exchange(retry_, loop_.after(kTryAgain, [this] { write_status(); })));
  }));
}

}  // namespace muster::agent
