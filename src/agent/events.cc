#include "agent/events.h"

#include <fmt/core.h>

#include "base/log.h"

namespace muster::agent {

using json::Document;
using json::Object;

void EventWriter::tell(const Document& pod, const Remark& remark) {
  const std::string& ns = pod.string_at("metadata", "namespace");
  const std::string& name = pod.string_at("metadata", "name");
  const std::string now = format_rfc3339(loop_.now());
  Document event{Object{}};
  event["apiVersion"] = "v1";
  event["kind"] = "Event";
  event["metadata"] = Object{{"name", fmt::format("{}.{:016x}", name, rng_.next())}, {"namespace", ns}};
  event["involvedObject"] = Object{{"apiVersion", "v1"},
                                   {"kind", "Pod"},
                                   {"namespace", ns},
                                   {"name", name},
                                   {"uid", pod.string_at("metadata", "uid")}};
  event["reason"] = remark.reason;
  event["message"] = remark.message.substr(0, 1024);
  event["type"] = remark.type;
  event["source"] = Object{{"component", "muster-agent"}, {"host", node_}};
  event["firstTimestamp"] = now;
  event["lastTimestamp"] = now;
  event["count"] = 1;
  event["reportingComponent"] = "muster-agent";
  event["reportingInstance"] = node_;
  client_.create({"", "v1", "events"}, ns, event, {}, [key = ns + "/" + name](Result<Document> result) {
    // The pod's namespace may be on its way out, and then takes no more events.
    if (!result && result.error().reason != Reason::kNotFound && result.error().reason != Reason::kForbidden) {
      LOG_WARN("event not written", {"pod", key}, {"error", result.error().message});
    }
  });
}

}  // namespace muster::agent
