#include "apiserver/verbs/pod_log.h"

#include <fmt/core.h>

#include <memory>

#include "api/muster/names.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/verbs/pod_container.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "base/clamped_seconds.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// Fails with the kubelet's message for a container that has no log yet.
Status check_started(const Document& pod, const std::string& container, bool previous) {
  const std::string& name = pod.string_at("metadata", "name");
  const Document* status = container_status(pod, container);
  if (previous) {
    // A rank is restarted by replacement: what ran before may have been another pod of this name.
    const auto attempt = parse_int(pod.string_at("metadata", "labels", api::kAttemptLabel));
    if ((status != nullptr && status->int_at("restartCount") > 0) || attempt.value_or(0) > 0) return ok();
    return bad_request(fmt::format("previous terminated container \"{}\" in pod \"{}\" not found", container, name));
  }
  if (status == nullptr) {
    return bad_request(
        fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container, name, "ContainerCreating"));
  }
  const Document* waiting = status->at("state", "waiting");
  if (waiting == nullptr || status->at("lastState", "terminated") != nullptr) return ok();
  const std::string& reason = waiting->string_at("reason");
  return bad_request(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}", container, name,
                                 reason.empty() ? "no reason given" : reason));
}

Status check_numbers(const node::LogRequest& request, std::optional<std::int64_t> since_seconds) {
  std::vector<FieldCause> causes;
  if (request.tail_lines && *request.tail_lines < 0) {
    causes.push_back(
        invalid_value("tailLines", std::to_string(*request.tail_lines), "must be greater than or equal to 0"));
  }
  if (request.limit_bytes && *request.limit_bytes < 1) {
    causes.push_back(invalid_value("limitBytes", std::to_string(*request.limit_bytes), "must be greater than 0"));
  }
  if (since_seconds && *since_seconds < 1) {
    causes.push_back(invalid_value("sinceSeconds", std::to_string(*since_seconds), "must be greater than 0"));
  }
  if (causes.empty()) return ok();
  api::Resource options;
  options.kind = "PodLogOptions";
  return invalid(options, request.pod, std::move(causes));
}

// Reading a log pauses while this much of it waits for a slow client, and resumes when half of that is sent.
constexpr std::size_t kMostUnsent = std::size_t{1} << 20;

/// A log being sent. It lives until the log ends or the client disconnects.
struct LogSession : std::enable_shared_from_this<LogSession> {
  std::shared_ptr<net::Exchange> exchange;
  std::unique_ptr<node::LogStream> stream;
  bool begun = false;

  void begin() {
    if (begun) return;
    begun = true;
    exchange->begin(200, {{"Content-Type", "text/plain"}, {"Cache-Control", "no-cache, private"}});
  }
  void write(std::string_view text) {
    begin();
    exchange->write(std::make_shared<const std::string>(text));
    if (exchange->unsent() <= kMostUnsent || !stream) return;
    stream->pause();
    exchange->when_room(kMostUnsent / 2, [weak = weak_from_this()] {
      const auto live = weak.lock();
      if (live && live->stream) live->stream->resume();
    });
  }
  void end(const Status& how) {
    if (how) {
      begin();
      exchange->finish();
      return;
    }
    LOG_ERROR("a log ends before its end", {"error", how.error().message});
    if (!begun) return exchange->respond(error_response(how.error()));
    exchange->abort();  // a regular end would mean that the log is complete
  }
  /// The exchange holds the session; this breaks the cycle.
  void release() {
    stream.reset();
    exchange.reset();
  }
};

Result<node::LogRequest> parse_log_request(const Query& query, const Document& pod, Time now) {
  node::LogRequest named;
  named.ns = pod.string_at("metadata", "namespace");
  named.pod = pod.string_at("metadata", "name");
  named.pod_uid = pod.string_at("metadata", "uid");
  TRY_ASSIGN(node::LogRequest request, parse_log_query(query, std::move(named), now));
  TRY_ASSIGN(request.container, choose_container(pod, query.get("container")));
  return request;
}

}  // namespace

Result<node::LogRequest> parse_log_query(const Query& query, node::LogRequest request, Time now) {
  request.fold = query.flag("fold");
  request.follow = query.flag("follow");
  request.previous = query.flag("previous");
  request.timestamps = query.flag("timestamps");
  TRY_ASSIGN(request.tail_lines, query.number("tailLines"));
  TRY_ASSIGN(request.limit_bytes, query.number("limitBytes"));
  TRY_ASSIGN(const auto since_seconds, query.number("sinceSeconds"));
  if (since_seconds) request.since = now - clamped_seconds(*since_seconds);
  if (const std::string_view since = query.get("sinceTime"); !since.empty()) {
    request.since = parse_rfc3339(since);
    if (!request.since) {
      return bad_request(fmt::format("sinceTime: must be an RFC 3339 time {}, got {}", kTimeRange, quote(since)));
    }
  }
  TRY(check_numbers(request, since_seconds));
  return request;
}

void send_log(Context& context, const node::LogRequest& log, const std::shared_ptr<net::Exchange>& exchange) {
  if (context.node == nullptr) return exchange->respond(error_response(no_node_yet("logs")));
  auto session = std::make_shared<LogSession>();
  session->exchange = exchange;
  // The exchange keeps the session until its end; the stream's callbacks must not keep themselves alive.
  const std::weak_ptr<LogSession> weak = session;
  auto stream = context.node->read_log(
      log,
      [weak](std::string_view text) {
        const auto live = weak.lock();
        if (live && live->exchange) live->write(text);
      },
      [weak, &context](const Status& how) {
        const auto live = weak.lock();
        if (!live || !live->exchange) return;
        live->end(how);
        // Posted, because this callback belongs to the stream that is destroyed.
        context.loop.post([live] { live->release(); });
      });
  if (!stream) return exchange->respond(error_response(stream.error()));
  session->stream = *std::move(stream);
  // A follower gets the response head at once, even before the first line.
  if (log.follow) session->begin();
  session->exchange->on_gone([session, &context] {
    session->stream.reset();
    context.loop.post([session] { session->release(); });
  });
}

void read_pod_log(Context& context, const ResourceRequest& request, Reply reply) {
  const store::Entry* entry = context.store.get(key_of(*request.resource, request.ns, request.name));
  if (entry == nullptr) return reply.fail(not_found(*request.resource, request.name));
  const auto pod = json::parse(*entry->bytes);
  if (!pod) return reply.fail(pod.error());
  const auto log = parse_log_request(request.query, *pod, context.loop.now());
  if (!log) return reply.fail(log.error());
  if (pod->string_at("spec", "nodeName").empty()) {  // nothing has run, so there is no log
    net::Response nothing;
    nothing.headers.set("Content-Type", "text/plain");
    return reply.exchange()->respond(std::move(nothing));
  }
  if (const auto started = check_started(*pod, log->container, log->previous); !started)
    return reply.fail(started.error());
  send_log(context, *log, reply.exchange());
}

}  // namespace muster::apiserver
