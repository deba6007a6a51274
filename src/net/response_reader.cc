#include "net/response_reader.h"

#include <boost/beast/http/basic_parser.hpp>

#include "net/message_text.h"

namespace muster::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::size_t kMaxHead = 64 * 1024;

}  // namespace

class ResponseReader::Parser final : public http::basic_parser<false> {
 public:
  Parser(ResponseReader& out, bool answers_head) : out_(out) {
    eager(true);
    header_limit(kMaxHead);
    body_limit(boost::none);
    skip(answers_head);
  }

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { out_.status = code; }
  void on_field_impl(http::field, string_view name, string_view value, error_code& ec) override {
    head_bytes_ += name.size() + value.size() + 4;
    if (head_bytes_ > kMaxHead) {
      ec = http::error::header_limit;
    } else if (!head_done_) {
      out_.headers.add(text(name), text(value));
    }
  }
  void on_header_impl(error_code&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return collect(body); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override { return collect(body); }
  void on_finish_impl(error_code&) override {}

  std::size_t collect(string_view body) {
    out_.fresh_body.emplace_back(body.data(), body.size());
    return body.size();
  }

  ResponseReader& out_;
  std::size_t head_bytes_ = 0;
  bool head_done_ = false;
};

ResponseReader::ResponseReader(bool answers_head) : parser_(std::make_unique<Parser>(*this, answers_head)) {}

ResponseReader::~ResponseReader() = default;

ResponseReader::Taken ResponseReader::put(std::string_view bytes) {
  error_code ec;
  Taken out{.bytes = parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec)};
  out.needs_more = ec == http::error::need_more && bytes.size() - out.bytes < kMaxHead;
  if (ec && !out.needs_more) out.fault = ec.message();
  return out;
}

bool ResponseReader::is_header_done() const {
  return parser_->is_header_done();
}

bool ResponseReader::is_done() const {
  return parser_->is_done();
}

bool ResponseReader::keep_alive() const {
  return parser_->keep_alive();
}

bool ResponseReader::ends_with_connection() {
  if (!parser_->is_header_done() || !parser_->need_eof()) return false;
  error_code ec;
  parser_->put_eof(ec);
  return !ec;
}

}  // namespace muster::net
