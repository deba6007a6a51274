#include "client/remote_transport.h"

#include "base/strings.h"
#include "client/backoff.h"

namespace muster::client {
namespace {

constexpr int kMostTries = 10;
constexpr Duration kLongestWhole = std::chrono::seconds(30);
constexpr Duration kLongestUnanswered = std::chrono::seconds(3);
constexpr Backoff kRequestBackoff;

/// The delay that the server asks for; nullopt when it does not say that a retry will help.
std::optional<Duration> asked_wait(int status, const net::Headers& headers) {
  if (status != 429 && status != 503) return std::nullopt;
  const auto seconds = parse_int(headers.get("Retry-After"));
  if (!seconds || *seconds < 0 || *seconds > kLongestWhole / std::chrono::seconds(1)) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

/// Whatever went wrong with the file or program, the request fails as unauthenticated.
Error no_credential(Error error) {
  error.reason = Reason::kUnauthorized;
  return error;
}

}  // namespace

/// The state that all requests to one server share.
struct RemoteTransport::Shared {
  Shared(Loop& l, Rng& r, std::unique_ptr<CredentialSource> s, Connect c)
      : loop(l), rng(r), credentials(std::move(s)), connect(std::move(c)) {}

  /// A certificate belongs to a connection, so a new one needs new connections. Requests in progress keep theirs.
  std::shared_ptr<net::Transport> transport_with(const Credential& credential) {
    const bool same_certificate = credential.client_certificate_pem == connected_as.client_certificate_pem &&
                                  credential.client_key_pem == connected_as.client_key_pem;
    if (transport == nullptr || !same_certificate) transport = connect(credential);
    connected_as = credential;
    return transport;
  }

  Loop& loop;
  Rng& rng;
  std::unique_ptr<CredentialSource> credentials;
  Connect connect;
  std::shared_ptr<net::Transport> transport;
  Credential connected_as;
  bool has_answered = false;
  bool stopped = false;
};

/// One request with all its attempts. Its FlightCall owns it; the callbacks of the transport below hold weak pointers.
class RemoteTransport::Flight : public std::enable_shared_from_this<Flight> {
 public:
  Flight(std::shared_ptr<Shared> shared, net::Request request, net::ResponseSink sink)
      : shared_(std::move(shared)),
        request_(std::move(request)),
        sink_(std::move(sink)),
        began_(shared_->loop.mono()) {}

  void start() {
    auto credential = shared_->credentials->get(shared_->loop);
    if (!credential.has_value()) return end_later(no_credential(std::move(credential).error()));
    credential_ = *std::move(credential);
    ++tries_;
    sent_ = false;
    next_.reset();
    net::Request request = request_;
    if (!credential_.token.empty()) request.headers.set("Authorization", "Bearer " + credential_.token);
    transport_ = shared_->transport_with(credential_);
    call_ = transport_->send(std::move(request), sink());
  }

  void cancel() {
    shared_->loop.cancel(timer_);
    call_.reset();
  }

  /// The attempt in progress; null before the first one.
  net::Call* call() const { return call_.get(); }

 private:
  /// What happens instead of delivering the response being received.
  struct Next {
    Duration wait{0};
    std::optional<Error> error = std::nullopt;  // give up with this error
  };

  /// Returns null when the caller has dropped the request.
  static std::shared_ptr<Flight> live(const std::weak_ptr<Flight>& weak) {
    const auto self = weak.lock();
    return self != nullptr && !self->shared_->stopped ? self : nullptr;
  }

  net::ResponseSink sink() {
    net::ResponseSink out;
    out.on_sent = [weak = weak_from_this()] {
      if (const auto self = live(weak)) self->sent_ = true;
    };
    out.on_head = [weak = weak_from_this()](int status, const net::Headers& headers) {
      if (const auto self = live(weak)) self->on_head(status, headers);
    };
    out.on_data = [weak = weak_from_this()](std::string_view bytes) {
      if (const auto self = live(weak); self && !self->next_ && self->sink_.on_data) self->sink_.on_data(bytes);
    };
    if (sink_.on_shared) {
      out.on_shared = [weak = weak_from_this()](std::string_view type, const net::Bytes& object) {
        if (const auto self = live(weak); self && !self->next_) self->sink_.on_shared(type, object);
      };
    }
    out.on_end = [weak = weak_from_this()](Status status) {
      if (const auto self = live(weak)) self->on_end(std::move(status));
    };
    return out;
  }

  void on_head(int status, const net::Headers& headers) {
    shared_->has_answered = true;
    if (status == 401) {
      plan_renewal();
    } else if (const auto after = asked_wait(status, headers); after && !request_.one_answer) {
      plan_retry(after);
    }
    if (next_) return;
    head_passed_on_ = true;
    if (sink_.on_head) sink_.on_head(status, headers);
  }

  void on_end(Status status) {
    if (!status.has_value() && !head_passed_on_ && !next_) {
      const bool safe = sent_ ? net::may_repeat(request_) : shared_->has_answered;
      if (safe && status.error().reason == Reason::kServiceUnavailable) plan_retry(std::nullopt);
    }
    if (!next_) {
      if (sink_.on_end) sink_.on_end(std::move(status));
    } else if (next_->error) {
      if (sink_.on_end) sink_.on_end(*std::move(next_->error));
    } else {
      timer_ = shared_->loop.after(next_->wait, [weak = weak_from_this()] {
        if (const auto self = live(weak)) self->start();
      });
    }
  }

  void plan_renewal() {
    if (renewed_ || request_.streams_body) return;  // a streamed body cannot be sent twice
    renewed_ = true;
    auto other = shared_->credentials->renew(credential_, shared_->loop);
    if (!other.has_value()) {
      next_ = Next{.error = no_credential(std::move(other).error())};
    } else if (*other) {
      next_ = Next{.wait = Duration::zero()};
    }
  }

  void plan_retry(std::optional<Duration> after) {
    if (tries_ >= kMostTries || request_.streams_body) return;
    const Duration wait = kRequestBackoff.wait(tries_, after, shared_->rng);
    const Duration longest = shared_->has_answered ? kLongestWhole : kLongestUnanswered;
    if (shared_->loop.mono() + wait - began_ <= longest) next_ = Next{.wait = wait};
  }

  void end_later(Error error) {
    shared_->loop.post([weak = weak_from_this(), e = std::move(error)]() mutable {
      if (const auto self = live(weak); self && self->sink_.on_end) self->sink_.on_end(std::move(e));
    });
  }

  std::shared_ptr<Shared> shared_;
  net::Request request_;
  net::ResponseSink sink_;
  MonoTime began_;
  Credential credential_;
  std::shared_ptr<net::Transport> transport_;
  std::unique_ptr<net::Call> call_;  // destroyed before its transport
  Loop::Id timer_ = 0;
  std::optional<Next> next_;
  int tries_ = 0;
  bool renewed_ = false;
  bool sent_ = false;  // from here on the server may have executed the request
  bool head_passed_on_ = false;
};

/// The handle that the caller of send() holds.
class RemoteTransport::FlightCall final : public net::Call {
 public:
  explicit FlightCall(std::shared_ptr<Flight> flight) : flight_(std::move(flight)) {}
  ~FlightCall() override { flight_->cancel(); }

  void write(net::Bytes bytes) override {
    if (net::Call* call = flight_->call()) call->write(std::move(bytes));
  }
  void finish() override {
    if (net::Call* call = flight_->call()) call->finish();
  }
  std::size_t unsent() const override { return flight_->call() != nullptr ? flight_->call()->unsent() : 0; }
  void when_room(std::size_t bytes, Task task) override {
    if (net::Call* call = flight_->call()) call->when_room(bytes, std::move(task));
  }
  void pause_input() override {
    if (net::Call* call = flight_->call()) call->pause_input();
  }
  void resume_input() override {
    if (net::Call* call = flight_->call()) call->resume_input();
  }

 private:
  std::shared_ptr<Flight> flight_;
};

RemoteTransport::RemoteTransport(Loop& loop, Rng& rng, std::unique_ptr<CredentialSource> credentials, Connect connect)
    : shared_(std::make_shared<Shared>(loop, rng, std::move(credentials), std::move(connect))) {}

RemoteTransport::~RemoteTransport() {
  shared_->stopped = true;
}

std::unique_ptr<net::Call> RemoteTransport::send(net::Request request, net::ResponseSink sink) {
  const auto flight = std::make_shared<Flight>(shared_, std::move(request), std::move(sink));
  flight->start();
  return std::make_unique<FlightCall>(flight);
}

}  // namespace muster::client
