#include "notify/url.h"

#include <gtest/gtest.h>

#include "notify/secret_target.h"

namespace muster::notify {
namespace {

TEST(Url, IsReadInItsParts) {
  const auto url = parse_url("https://Hooks.example.com/services/T0/x?y=1#z");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "hooks.example.com");
  EXPECT_EQ(url->port, 443);
  EXPECT_EQ(url->target, "/services/T0/x?y=1");
  EXPECT_EQ(parse_url("http://127.0.0.1:8080")->target, "/");
  EXPECT_EQ(parse_url("http://127.0.0.1:8080?a=b")->target, "/?a=b");
  EXPECT_EQ(parse_url("http://[::1]:8080/x")->host, "::1");
  EXPECT_EQ(parse_url("http://[::1]/x")->port, 80);
}

TEST(Url, OthersAreRefused) {
  for (const char* text : {"", "ftp://a/b", "https://", "https:///x", "https://a:0/", "https://a:x/", "https://a/ b",
                           "https://user:password@a/", "a.example.com/x", "https://a/\n"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(SecretTarget, IsOfItsTypeAndGuessesTheForm) {
  json::Document secret = *json::parse(R"({"kind":"Secret","type":"muster.dev/notify"})");
  secret["data"] = json::Object{{"url", "aHR0cHM6Ly9ob29rcy5zbGFjay5jb20vc2VydmljZXMvVDAveA=="}};
  const auto target = target_of_secret("secret/n", secret);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(std::get<WebHook>(target->way).form, Form::kSlack);
  secret["type"] = "Opaque";
  EXPECT_EQ(target_of_secret("secret/n", secret).error().message,
            "secret/n: the Secret must have type muster.dev/notify");
  EXPECT_EQ(form_of_url("https://oapi.dingtalk.com/robot/send?access_token=x"), Form::kDingTalk);
  EXPECT_EQ(form_of_url("https://open.feishu.cn/open-apis/bot/v2/hook/x"), Form::kFeishu);
  EXPECT_EQ(form_of_url("https://notslack.com.example.org/x"), Form::kJson);
}

TEST(SecretTarget, AWrongUrlIsNotRepeated) {
  json::Document secret = *json::parse(R"({"kind":"Secret","type":"muster.dev/notify","data":{"url":"dG9rZW4="}})");
  const auto target = target_of_secret("secret/n", secret);
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().message.find("token"), std::string::npos);
}

}  // namespace
}  // namespace muster::notify
