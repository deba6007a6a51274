// Reply: the response to one request, in the form the client asked for. A value that handlers move into the store's
// callback; exactly one of its calls ends the exchange.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "apiserver/http/negotiation.h"
#include "base/error.h"
#include "base/ports.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

/// A plain-text response that must not be cached.
net::Response text_response(std::string body);

class Reply {
 public:
  Reply(const Clock& clock, std::shared_ptr<net::Exchange> exchange, Form form)
      : clock_(&clock), exchange_(std::move(exchange)), form_(std::move(form)) {}

  const Form& form() const { return form_; }
  const std::shared_ptr<net::Exchange>& exchange() const { return exchange_; }
  /// Prevents errors from quoting lines of the body.
  void hide_body() { hides_body_ = true; }
  /// Adds a Warning header to the response, which kubectl prints.
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

  void fail(const Error& error) const;
  /// Sends the JSON text unchanged.
  void json(int code, std::string body) const;
  void json(net::Response response) const;
  /// Sends an object as stored, byte for byte, or as a Table or metadata if the client asked for that.
  void object(int code, const api::Resource& resource, const net::Bytes& bytes) const;

 private:
  void send(net::Response response) const;

  const Clock* clock_;
  std::shared_ptr<net::Exchange> exchange_;
  Form form_;
  std::vector<std::string> warnings_;
  bool hides_body_ = false;
};

}  // namespace muster::apiserver
