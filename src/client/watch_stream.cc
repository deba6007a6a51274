#include "client/watch_stream.h"

#include "base/strings.h"

namespace muster::client {

void WatchStream::set_call(std::unique_ptr<net::Call> call) {
  call_ = std::move(call);
}

void WatchStream::cancel() {
  ended_ = true;
  call_.reset();
}

void WatchStream::on_data(std::string_view bytes) {
  const auto self = shared_from_this();  // a callback may destroy the handle
  while (!ended_ && !bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (partial_.size() + piece.size() > kMaxWatchLine) {
      end(Error{.reason = Reason::kInternalError,
                .message = "watch: an event is longer than " + std::to_string(kMaxWatchLine) + " bytes"});
      return;
    }
    if (newline == std::string_view::npos) {
      partial_.append(piece);
      return;
    }
    bytes.remove_prefix(newline + 1);
    if (partial_.empty()) {
      on_line(piece);
    } else {
      partial_.append(piece);
      const std::string line = std::exchange(partial_, {});
      on_line(line);
    }
  }
}

void WatchStream::on_event(std::string_view type, const net::Bytes& text) {
  const auto self = shared_from_this();
  if (ended_) return;
  auto object = glance_ ? glance_->read(*text) : json::parse(*text);
  if (!object.has_value()) return end(object.error());
  sink_.on_event({std::string(type), *std::move(object), text});
}

void WatchStream::on_line(std::string_view line) {
  if (trim(line).empty()) return;
  auto event = json::parse(line);
  if (!event.has_value()) {
    end(in_context("watch: an event is not JSON",
                   Error{.reason = Reason::kInternalError, .message = event.error().message}));
    return;
  }
  std::string type = event->string_at("type");
  json::Document* object = event->find("object");
  if (type.empty() || object == nullptr || !object->is_object()) {
    end(Error{.reason = Reason::kInternalError, .message = "watch: an event has no type or no object"});
  } else if (type == "ERROR") {
    end(error_from_status(*object, 500));
  } else if (sink_.on_event) {
    sink_.on_event({std::move(type), std::move(*object), nullptr});
  }
}

void WatchStream::on_end(Status status) {
  const auto self = shared_from_this();
  if (ended_) return;
  if (status.has_value() && !trim(partial_).empty()) {
    end(Error{.reason = Reason::kInternalError, .message = "watch: the stream ended in the middle of an event"});
    return;
  }
  end(std::move(status));
}

void WatchStream::end(Status status) {
  ended_ = true;
  call_.reset();
  if (sink_.on_end) sink_.on_end(std::move(status));
}

}  // namespace muster::client
