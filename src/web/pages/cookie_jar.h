// CookieJar: the cookies that a program in a pod sets. The proxy keeps them and shows them to that program alone, so
// that no browser has them: all pages share one origin.
#pragma once

#include <map>
#include <string>

#include "net/http.h"

namespace muster::web {

class CookieJar {
 public:
  /// Takes the Set-Cookie headers of a response. An empty value deletes a cookie. Beyond 20 cookies or 4 KiB each,
  /// further ones are dropped.
  void keep(const net::Headers& headers);
  /// Returns the Cookie header for a request; "" when there are none.
  std::string header() const;

 private:
  std::map<std::string, std::string> cookies_;
};

}  // namespace muster::web
