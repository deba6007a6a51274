#include "agent/probes/http_redirect.h"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

const ProbeAddress kFrom{.tls = false, .host = "127.1.2.3", .port = 8080, .target = "/a/b?c=d"};

std::string leads_to(std::string_view location) {
  const auto to = redirected(kFrom, location);
  return to ? to->url() : "nowhere";
}

TEST(HttpRedirect, LocationsAreReadAsABrowserDoes) {
  EXPECT_EQ(leads_to("/x"), "http://127.1.2.3:8080/x");
  EXPECT_EQ(leads_to("x?y=http://z"), "http://127.1.2.3:8080/a/x?y=http://z");
  EXPECT_EQ(leads_to("?q"), "http://127.1.2.3:8080/a/b?q");
  EXPECT_EQ(leads_to("//other:81"), "http://other:81/");
  EXPECT_EQ(leads_to("https://127.1.2.3"), "https://127.1.2.3:443/");
  EXPECT_EQ(leads_to("HTTP://127.1.2.3:9/p#part"), "http://127.1.2.3:9/p");
}

TEST(HttpRedirect, WhatIsNotHttpLeadsNowhere) {
  for (const char* location : {"ftp://127.1.2.3/", "http://", "http://a:b/", "http://a:0/", "http://a:70000/",
                               "http://user@127.1.2.3/", "http://[::1/"}) {
    EXPECT_EQ(leads_to(location), "nowhere") << location;
  }
}

}  // namespace
}  // namespace muster::agent
