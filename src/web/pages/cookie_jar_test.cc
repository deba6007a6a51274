#include "web/pages/cookie_jar.h"

#include <gtest/gtest.h>

namespace muster::web {
namespace {

TEST(CookieJar, KeepsNamesAndValuesWithoutAttributes) {
  CookieJar jar;
  EXPECT_EQ(jar.header(), "");
  jar.keep({{"Set-Cookie", "_xsrf=2|a; Path=/notebook/default/mnist/"}, {"set-cookie", "user=\"x=y\"; HttpOnly"}});
  EXPECT_EQ(jar.header(), "_xsrf=2|a; user=\"x=y\"");
  jar.keep({{"Set-Cookie", "_xsrf=3"}, {"Content-Type", "text/html"}});
  EXPECT_EQ(jar.header(), "_xsrf=3; user=\"x=y\"");
  jar.keep({{"Set-Cookie", "user=\"\"; expires=Thu, 01 Jan 1970 00:00:00 GMT"}, {"Set-Cookie", "nonsense"}});
  EXPECT_EQ(jar.header(), "_xsrf=3");
}

TEST(CookieJar, IsBounded) {
  CookieJar jar;
  jar.keep({{"Set-Cookie", "big=" + std::string(5000, 'x')}});
  EXPECT_EQ(jar.header(), "");
  for (int i = 0; i < 100; ++i) jar.keep({{"Set-Cookie", "c" + std::to_string(i) + "=1"}});
  EXPECT_LT(jar.header().size(), 200U);
}

}  // namespace
}  // namespace muster::web
