// ResponseReader turns bytes into one response, using Beast's parser. Private to net/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace muster::net {

/// Collects what one read contained, so that callbacks run only outside the parser.
class ResponseReader {
 public:
  struct Taken {
    std::size_t bytes = 0;
    bool needs_more = false;  // the bytes that are not taken must be passed again, together with those that follow
    std::string fault = {};   // why this is not HTTP
  };

  /// `answers_head`: the request was a HEAD, so no body follows.
  explicit ResponseReader(bool answers_head);
  ~ResponseReader();

  Taken put(std::string_view bytes);
  bool is_header_done() const;
  bool is_done() const;
  bool keep_alive() const;
  /// Returns whether the response is complete now that the connection has ended.
  bool ends_with_connection();

  int status = 0;
  Headers headers;
  std::vector<std::string_view> fresh_body;  // views into the text passed to put() last

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace muster::net
