#include "apiserver/http/auth.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

net::Request request(std::initializer_list<std::pair<std::string, std::string>> headers, std::string target = "/api") {
  net::Request r;
  r.method = "GET";
  r.target = std::move(target);
  r.headers = headers;
  return r;
}

const std::vector<std::string> kHosts{"127.0.0.1", "localhost", "::1"};

std::string verdict(const net::Request& r) {
  const auto known = authenticate(r, {.owner_token = "secret", .allowed_hosts = kHosts});
  return known ? "ok" : std::string(reason_name(known.error().reason));
}

TEST(Auth, TheTokenOpens) {
  EXPECT_EQ(verdict(request({{"Host", "localhost:8765"}, {"Authorization", "Bearer secret"}})), "ok");
  EXPECT_EQ(verdict(request({{"Host", "[::1]:8765"}, {"Authorization", "bearer secret"}})), "ok");
  for (const char* wrong :
       {"Bearer secreT", "Bearer secre", "Bearer secretx", "Bearer ", "Basic secret", "secret", ""}) {
    EXPECT_EQ(verdict(request({{"Host", "localhost"}, {"Authorization", wrong}})), "Unauthorized") << wrong;
  }
  EXPECT_EQ(verdict(request({{"Host", "localhost"}})), "Unauthorized");
}

TEST(Auth, AnotherTokenOfTheOwnerOpensToo) {
  const Authentication by{.owner_token = "secret", .allowed_hosts = kHosts, .is_owners = [](std::string_view token) {
                            return token == "browser" || token.empty();
                          }};
  const auto who = authenticate(request({{"Host", "localhost"}, {"Authorization", "Bearer browser"}}), by);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->kind, Principal::Kind::kOwner);
  EXPECT_FALSE(authenticate(request({{"Host", "localhost"}, {"Authorization", "Bearer other"}}), by));
  EXPECT_FALSE(authenticate(request({{"Host", "localhost"}}), by));
}

TEST(Auth, AnEmptyTokenOpensNothing) {
  EXPECT_FALSE(authenticate(request({{"Host", "localhost"}, {"Authorization", "Bearer "}}),
                            {.owner_token = "", .allowed_hosts = {"localhost"}}));
}

TEST(Auth, ForeignHostsAreRefusedBeforeTheToken) {
  EXPECT_EQ(verdict(request({{"Host", "evil.example:8765"}, {"Authorization", "Bearer secret"}})), "Forbidden");
  EXPECT_EQ(verdict(request({{"Authorization", "Bearer secret"}})), "Forbidden");
  EXPECT_EQ(verdict(request({{"Host", "localhost.evil.example"}}, "/healthz")), "Forbidden");
}

TEST(Auth, ForeignOriginsAreRefused) {
  const std::pair<std::string, std::string> host = {"Host", "localhost:8765"};
  const std::pair<std::string, std::string> token = {"Authorization", "Bearer secret"};
  EXPECT_EQ(verdict(request({host, token, {"Origin", "https://localhost:8765"}})), "ok");
  for (const char* foreign : {"https://localhost:8766", "https://evil.example", "null", ""}) {
    EXPECT_EQ(verdict(request({host, token, {"Origin", foreign}})), "Forbidden") << foreign;
  }
}

TEST(Auth, PagesOfOtherSitesMayNotWrite) {
  const std::pair<std::string, std::string> host = {"Host", "localhost:8765"};
  const std::pair<std::string, std::string> token = {"Authorization", "Bearer secret"};
  for (const char* site : {"cross-site", "same-site", "anything"}) {
    net::Request write = request({host, token, {"Sec-Fetch-Site", site}});
    EXPECT_EQ(verdict(write), "ok") << site;
    write.method = "POST";
    EXPECT_EQ(verdict(write), "Forbidden") << site;
  }
  for (const char* site : {"same-origin", "none"}) {
    net::Request write = request({host, token, {"Sec-Fetch-Site", site}});
    write.method = "POST";
    EXPECT_EQ(verdict(write), "ok") << site;
  }
}

TEST(Auth, NobodyActsInTheNameOfAnother) {
  for (const char* header : {"Impersonate-User", "impersonate-group", "Impersonate-Extra-scopes"}) {
    EXPECT_EQ(verdict(request({{"Host", "localhost"}, {"Authorization", "Bearer secret"}, {header, "somebody"}})),
              "Forbidden")
        << header;
  }
}

TEST(Auth, HealthNeedsNoTokenButVersionDoes) {
  for (const char* path : {"/healthz", "/livez", "/readyz?verbose"}) {
    EXPECT_EQ(verdict(request({{"Host", "localhost"}}, path)), "ok") << path;
  }
  EXPECT_EQ(verdict(request({{"Host", "localhost"}}, "/version")), "Unauthorized");
  EXPECT_EQ(verdict(request({{"Host", "localhost"}}, "/metrics")), "Unauthorized");
  EXPECT_EQ(verdict(request({{"Host", "localhost"}}, "/healthz/../api")), "Unauthorized");
}

TEST(Auth, HealthMakesNobodyKnown) {
  const auto known = [](const net::Request& head) {
    return knows_sender(head, {.owner_token = "secret", .allowed_hosts = kHosts});
  };
  const std::pair<std::string, std::string> token = {"Authorization", "Bearer secret"};
  EXPECT_TRUE(known(request({{"Host", "localhost"}, token})));
  EXPECT_TRUE(known(request({{"Host", "localhost"}, token}, "/healthz")));
  EXPECT_FALSE(known(request({{"Host", "localhost"}}, "/healthz")));
  EXPECT_FALSE(known(request({{"Host", "localhost"}})));
  EXPECT_FALSE(known(request({{"Host", "evil.example"}, token})));
  EXPECT_FALSE(known(request({{"Host", "localhost"}, token, {"Origin", "https://evil.example"}})));
}

TEST(Auth, ThisProcessAndThisUserNeedNoToken) {
  net::Request local = request({});
  local.peer.in_process = true;
  EXPECT_EQ(verdict(local), "ok");
  net::Request socket = request({});
  socket.peer.unix_socket_same_user = true;
  EXPECT_EQ(verdict(socket), "ok");
}

TEST(Auth, PeersFromAnotherUserNamespaceAreRefusedWhateverTheyShow) {
  net::Request inside = request({{"Host", "localhost"}, {"Authorization", "Bearer secret"}});
  inside.peer.unix_socket_other_namespace = true;
  const auto refused = authenticate(inside, {.owner_token = "secret", .allowed_hosts = kHosts});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::kForbidden);
  EXPECT_EQ(refused.error().message,
            "api.sock: the peer is in another user namespace, such as a container; use HTTPS and a token");
}

TEST(Auth, ATokenOfAnAccountGivesTheAccount) {
  const Authentication by{.owner_token = "secret", .allowed_hosts = kHosts, .find_account = [](std::string_view token) {
                            return token == "hers" ? std::optional(ServiceAccount{.ns = "lab", .name = "default"})
                                                   : std::nullopt;
                          }};
  const auto who = [&](std::string token) {
    const auto found = authenticate(request({{"Host", "localhost"}, {"Authorization", "Bearer " + token}}), by);
    return found ? user_name(*found) : std::string(reason_name(found.error().reason));
  };
  EXPECT_EQ(who("hers"), "system:serviceaccount:lab:default");
  EXPECT_EQ(who("secret"), "muster-admin");
  EXPECT_EQ(who("hers!"), "Unauthorized");
}

}  // namespace
}  // namespace muster::apiserver
