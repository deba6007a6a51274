// Bytes made into one Request. Beast's parser does the work, behind this.
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

  /// The limits must outlive it.
  explicit RequestReader(const ServerLimits& limits);
  ~RequestReader();

  /// What it leaves is to be offered again, with what came next. It stops at the end of the head, until a body is
  /// expected.
  Taken put(std::string_view bytes);
  void expect_body();
  bool is_header_done() const;
  bool is_done() const;
  bool keep_alive() const;

  Request request;
  int version = 11;
  bool head_checked = false;
  bool waits_for_continue = false;
  bool other_encoding = false;  // Transfer-Encoding that is not exactly "chunked"
  bool folded = false;          // a header goes on in the next line, which Beast makes one

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace muster::net
