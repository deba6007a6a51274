// Beast's parser made into Requests. Heavy to include: for server_connection.cc and the fuzzer of it only.
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include "net/http_server.h"
#include "net/message_text.h"

namespace muster::net {

/// Builds a Request while Beast's parser walks the bytes.
class RequestReader final : public boost::beast::http::basic_parser<true> {
 public:
  explicit RequestReader(const ServerLimits& limits) : limits_(limits) {
    eager(true);
    header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    body_limit(limits.body_bytes);
  }

  Request request;
  int version = 11;
  bool head_checked = false;
  bool waits_for_continue = false;
  int host_fields = 0;
  bool other_encoding = false;  // Transfer-Encoding that is not exactly "chunked"

 private:
  void on_request_impl(boost::beast::http::verb, boost::beast::string_view method, boost::beast::string_view target,
                       int v, boost::system::error_code&) override {
    request.method = text(method);
    request.target = text(target);
    version = v;
  }
  void on_response_impl(int, boost::beast::string_view, int, boost::system::error_code&) override {}

  void on_field_impl(boost::beast::http::field field, boost::beast::string_view name, boost::beast::string_view value,
                     boost::system::error_code& ec) override {
    // Beast's own limit is on what is not parsed yet: a head that arrives field by field would escape it.
    head_bytes_ += name.size() + value.size() + 4;
    if (++fields_ > limits_.head_fields || head_bytes_ > limits_.head_bytes) {
      ec = boost::beast::http::error::header_limit;
      return;
    }
    if (head_done_) return;  // a trailer: nothing here needs one
    if (field == boost::beast::http::field::host) ++host_fields;
    if (field == boost::beast::http::field::transfer_encoding && !boost::beast::iequals(value, "chunked"))
      other_encoding = true;
    if (field == boost::beast::http::field::expect && boost::beast::iequals(value, "100-continue"))
      waits_for_continue = true;
    request.headers.add(text(name), text(value));
  }

  void on_header_impl(boost::system::error_code&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, boost::system::error_code&) override {}
  std::size_t on_body_impl(boost::beast::string_view body, boost::system::error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, boost::beast::string_view, boost::system::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, boost::beast::string_view body, boost::system::error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(boost::system::error_code&) override {}

  const ServerLimits& limits_;
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;
  bool head_done_ = false;
};

}  // namespace muster::net
