// RequestReader turns bytes into one Request, using Beast's parser.
#pragma once

#include <memory>
#include <string_view>

#include "net/http_server.h"

namespace muster::net {

class RequestReader {
 public:
  enum class Outcome { kFine, kNeedsMore, kBodyTooLarge, kHeadTooLarge, kWrongVersion, kMalformed };
  struct Taken {
    std::size_t bytes = 0;
    Outcome outcome = Outcome::kFine;
  };

  /// The limits must outlive the reader.
  explicit RequestReader(const ServerLimits& limits);
  ~RequestReader();

  /// Bytes that are not taken must be passed again, together with the bytes that follow. Parsing stops at the end of
  /// the head, until a body is expected.
  Taken put(std::string_view bytes);
  void expect_body();
  /// Lifts the limit on the body; the caller takes each part out of `request.body`.
  void stream_body() { streams_ = true; }
  /// Returns the Content-Length; 0 when there is none.
  std::uint64_t declared_body() const;
  bool is_header_done() const;
  bool is_done() const;
  bool keep_alive() const;

  Request request;
  int version = 11;
  bool head_checked = false;
  bool waits_for_continue = false;
  bool other_encoding = false;  // Transfer-Encoding that is not exactly "chunked"
  bool folded = false;          // a header continues on the next line; Beast joins the lines

 private:
  class Parser;
  bool streams_ = false;
  std::unique_ptr<Parser> parser_;
};

}  // namespace muster::net
