#include "agent/registration/node_registration.h"

#include "agent/registration/node_object.h"
#include "base/log.h"

namespace muster::agent {

using json::Document;
using json::Object;

NodeRegistration::NodeRegistration(Loop& loop, client::ApiClient& client, const Options& options)
    : loop_(loop), client_(client), options_(options), machine_(look_at_machine(options)) {}

void NodeRegistration::start() {
  const client::ObjectName node{client::ResourceName("", "v1", "nodes"), "", options_.node_name, "status"};
  const Document status{Object{{"status", node_status(options_, machine_, loop_.now())}}};
  client_.create({"", "v1", "nodes"}, "", node_object(options_, machine_), {},
                 lifetime_.guard([this, node, status](Result<Document> made) {
                   if (!made && made.error().reason != Reason::kAlreadyExists) {
                     LOG_WARN("node not registered, trying again", {"error", made.error().message});
                     loop_.after(std::chrono::seconds(1), lifetime_.guard([this] { start(); }));
                     return;
                   }
                   client_.patch(node, client::PatchType::kMerge, status, {}, [](Result<Document> patched) {
                     if (!patched) LOG_WARN("node status not written", {"error", patched.error().message});
                   });
                 }));
}

}  // namespace muster::agent
