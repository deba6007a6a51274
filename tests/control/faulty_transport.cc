#include "faulty_transport.h"

#include <algorithm>
#include <string>

namespace muster::control {

namespace {

Error connection_lost() {
  return Error{.reason = Reason::kServiceUnavailable, .message = "the connection was lost"};
}

bool is_watch(const net::Request& request) {
  return request.target.find("watch=") != std::string::npos;
}

}  // namespace

/// One request and its answer. What is delivered keeps its order, however long each part takes.
struct FaultyTransport::Flight : std::enable_shared_from_this<Flight> {
  Flight(FaultyTransport& n, net::ResponseSink s) : network(n), sink(std::move(s)) {}

  FaultyTransport& network;
  net::ResponseSink sink;
  std::unique_ptr<net::Call> call;  // null until the request arrives
  MonoTime last_delivery{};
  bool is_over = false;  // the client has cancelled, or has been told the end

  template <typename Deliver>
  void deliver(Deliver what) {
    const MonoTime now = network.loop_.mono();
    last_delivery = std::max(last_delivery, now + network.delay());
    network.loop_.after(last_delivery - now, [self = shared_from_this(), what = std::move(what)]() mutable {
      if (!self->is_over) what(*self);
    });
  }
  void end(const Status& how) {
    deliver([how](Flight& self) {
      self.is_over = true;
      if (self.sink.on_end) self.sink.on_end(how);
    });
  }

  /// What the server's answer becomes.
  net::ResponseSink receiver(bool loses_answer) {
    net::ResponseSink from_server;
    const auto self = shared_from_this();
    from_server.on_end = [self, loses_answer](const Status& how) {
      self->end(loses_answer ? Status(connection_lost()) : how);
    };
    if (loses_answer) return from_server;
    from_server.on_head = [self](int status, const net::Headers& headers) {
      self->deliver([status, headers](Flight& f) {
        if (f.sink.on_head) f.sink.on_head(status, headers);
      });
    };
    from_server.on_data = [self](std::string_view bytes) {
      self->deliver([text = std::string(bytes)](Flight& f) {
        if (f.sink.on_data) f.sink.on_data(text);
      });
    };
    if (sink.on_shared) {
      from_server.on_shared = [self](std::string_view what, const net::Bytes& bytes) {
        self->deliver([text = std::string(what), bytes](Flight& f) { f.sink.on_shared(text, bytes); });
      };
    }
    return from_server;
  }
};

class FaultyTransport::FlightCall final : public net::Call {
 public:
  explicit FlightCall(std::shared_ptr<Flight> flight) : flight_(std::move(flight)) {}
  ~FlightCall() override {
    flight_->is_over = true;
    flight_->call.reset();
  }

 private:
  std::shared_ptr<Flight> flight_;
};

/// Never none: clients that answer each other's changes, such as a controller with a stale cache and the garbage
/// collector, would continue forever within one instant, and the cache would never catch up.
Duration FaultyTransport::delay() {
  constexpr Duration kLeast = std::chrono::milliseconds(2);
  if (!happens(20)) return kLeast;
  return kLeast + std::chrono::milliseconds(rng_.below(happens(10) ? 5000 : 100));
}

void FaultyTransport::break_later(const std::shared_ptr<Flight>& flight) {
  if (!happens(30)) return;
  loop_.after(std::chrono::milliseconds(rng_.below(20'000)), [flight] {
    if (flight->is_over) return;
    flight->call.reset();
    flight->end(connection_lost());
  });
}

std::unique_ptr<net::Call> FaultyTransport::send(net::Request request, net::ResponseSink sink) {
  auto flight = std::make_shared<Flight>(*this, std::move(sink));
  auto call = std::make_unique<FlightCall>(flight);
  if (happens(3)) {
    flight->end(connection_lost());
    return call;
  }
  const bool loses_answer = happens(3);
  if (is_watch(request)) break_later(flight);
  // The request is on its way, whatever becomes of the client.
  loop_.after(delay(), [flight, loses_answer, request = std::move(request)]() mutable {
    if (flight->sink.on_sent && !flight->is_over) flight->sink.on_sent();
    flight->call = flight->network.server_.send(std::move(request), flight->receiver(loses_answer));
    if (flight->is_over && flight->call != nullptr) {
      // Nobody waits for the answer, but the request has arrived.
      flight->network.loop_.post([call = std::shared_ptr<net::Call>(std::move(flight->call))] {});
    }
  });
  return call;
}

}  // namespace muster::control
