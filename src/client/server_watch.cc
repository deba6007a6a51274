#include "client/server_watch.h"

#include <memory>

#include "base/log.h"
#include "client/backoff.h"

namespace muster::client {

namespace {

constexpr Duration kBetweenAnswers = std::chrono::seconds(10);
constexpr Duration kLongestAnswer = std::chrono::seconds(5);
constexpr Backoff kAskBackoff;
constexpr std::size_t kLongestVersion = 1 << 20;

}  // namespace

ServerWatch::~ServerWatch() {
  loop_.cancel(timer_);
}

void ServerWatch::ask() {
  call_.reset();
  client_.emplace(transport_, "");
  auto body = std::make_shared<std::string>();
  net::ResponseSink sink;
  sink.on_data = [body](std::string_view bytes) {
    if (body->size() + bytes.size() <= kLongestVersion) *body += bytes;
  };
  sink.on_head = [](int, const net::Headers&) {};
  sink.on_end = lifetime_.guard([this, body](const Status& status) {
    if (!status) return answered(status);
    auto version = json::parse(*body);
    if (!version || version->string_at("gitVersion").empty()) {
      return answered(Error{.reason = Reason::kServiceUnavailable,
                            .message = "its response to GET /version is not a version of Kubernetes"});
    }
    version_ = *std::move(version);
    answered(ok());
  });
  timer_ = loop_.after(kLongestAnswer, lifetime_.guard([this] {
    call_.reset();
    answered(Error{.reason = Reason::kTimeout, .message = "it does not answer"});
  }));
  call_ = client_->stream("GET", "/version", std::move(sink));
}

void ServerWatch::answered(const Status& status) {
  loop_.cancel(timer_);
  const std::string now = status ? "" : status.error().message;
  if (!now.empty() && now != problem_) {
    LOG_WARN("the API server does not answer; waiting for it", {"error", now});
  } else if (now.empty() && failures_ > 0) {
    LOG_INFO("the API server answers again");
  }
  problem_ = now;
  failures_ = status ? 0 : failures_ + 1;
  const Duration pause = status ? kBetweenAnswers : kAskBackoff.wait(failures_, status.error().retry_after, rng_);
  timer_ = loop_.after(pause, lifetime_.guard([this] { ask(); }));
}

}  // namespace muster::client
