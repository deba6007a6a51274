#include "cli/objects/wait_until_gone.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "client/live_list.h"

namespace muster::cli {

std::string deleted_uid(const json::Document& reply) {
  const bool gone = reply.string_at("kind") == "Status";
  return gone ? reply.string_at("details", "uid") : reply.string_at("metadata", "uid");
}

int wait_until_gone(Session& session, const Selected& one, const std::string& uid, std::optional<MonoTime> deadline) {
  bool gone = false;
  std::optional<Error> failure;
  client::LiveSink sink;
  sink.on_list = [&](const json::Document& list) {
    const json::Array& items = list.array_at("items");
    gone = items.empty() || items.front().string_at("metadata", "uid") != uid;
  };
  sink.on_event = [&](const std::string& type, const json::Document& object) {
    gone = gone || type == "DELETED" || object.string_at("metadata", "uid") != uid;
  };
  sink.on_failed = [&](const Error& error) { failure = error; };
  client::LiveList live(session.loop(), session.api(),
                        {.resource = one.kind.resource, .ns = one.ns, .field_selector = "metadata.name=" + one.name},
                        std::move(sink));
  live.start();
  switch (session.wait_until([&] { return gone || failure.has_value(); }, deadline)) {
    case Session::Waited::kInterrupted:
      return kExitInterrupted;
    case Session::Waited::kTimedOut:
      return session.fail(
          {.code = kExitTimedOut,
           .what = fmt::format("timed out waiting for {} {} to be deleted", one.kind.label(), quote(one.name)),
           .fix = "muster describe " + one.short_label()});
    case Session::Waited::kDone:
      break;
  }
  return failure ? session.fail(*failure) : kExitOk;
}

}  // namespace muster::cli
