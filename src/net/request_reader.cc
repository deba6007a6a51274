#include "net/request_reader.h"

#include <boost/beast/http/basic_parser.hpp>

#include "net/message_text.h"

namespace muster::net {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

/// Fills the reader's members while Beast parses the bytes.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  Parser(RequestReader& out, const ServerLimits& limits) : out_(out), limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    body_limit(boost::none);  // Beast would apply it to the head already, before it is known who takes the body
  }

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int number, error_code&) override {
    out_.request.method = text(method);
    out_.request.target = text(target);
    out_.version = number;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}

  void on_field_impl(http::field field, string_view name, string_view value, error_code& ec) override {
    // Beast limits only the unparsed bytes, so a head that arrives field by field would escape its limit.
    head_bytes_ += name.size() + value.size() + 4;
    if (++fields_ > limits_.head_fields || head_bytes_ > limits_.head_bytes) {
      ec = http::error::header_limit;
      return;
    }
    if (head_done_) return;  // a trailer, which nothing here needs
    if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked")) out_.other_encoding = true;
    if (field == http::field::expect && boost::beast::iequals(value, "100-continue")) out_.waits_for_continue = true;
    out_.request.headers.add(text(name), text(value));
  }

  void on_header_impl(error_code&) override { head_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& ec) override { return append(body, ec); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& ec) override { return append(body, ec); }
  void on_finish_impl(error_code&) override {}

  std::size_t append(string_view body, error_code& ec) {
    if (!out_.streams_ && out_.request.body.size() + body.size() > limits_.body_bytes) {
      ec = http::error::body_limit;
      return 0;
    }
    out_.request.body.append(body.data(), body.size());
    return body.size();
  }

  RequestReader& out_;
  const ServerLimits& limits_;
  std::size_t head_bytes_ = 0;
  std::size_t fields_ = 0;
  bool head_done_ = false;
};

namespace {

RequestReader::Outcome outcome_of(const error_code& ec) {
  using Outcome = RequestReader::Outcome;
  if (!ec) return Outcome::kFine;
  if (ec == http::error::need_more) return Outcome::kNeedsMore;
  if (ec == http::error::body_limit) return Outcome::kBodyTooLarge;
  if (ec == http::error::header_limit) return Outcome::kHeadTooLarge;
  return ec == http::error::bad_version ? Outcome::kWrongVersion : Outcome::kMalformed;
}

bool has_fold(std::string_view head) {
  return head.find("\r\n ") != std::string_view::npos || head.find("\r\n\t") != std::string_view::npos;
}

}  // namespace

RequestReader::RequestReader(const ServerLimits& limits) : parser_(std::make_unique<Parser>(*this, limits)) {}

RequestReader::~RequestReader() = default;

RequestReader::Taken RequestReader::put(std::string_view bytes) {
  error_code ec;
  const bool in_head = !parser_->is_header_done();
  const std::size_t used = parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
  if (in_head) folded |= has_fold(bytes.substr(0, used));
  return {.bytes = used, .outcome = outcome_of(ec)};
}

void RequestReader::expect_body() {
  parser_->eager(true);
}

std::uint64_t RequestReader::declared_body() const {
  return parser_->content_length().value_or(0);
}

bool RequestReader::is_header_done() const {
  return parser_->is_header_done();
}

bool RequestReader::is_done() const {
  return parser_->is_done();
}

bool RequestReader::keep_alive() const {
  return parser_->keep_alive();
}

}  // namespace muster::net
