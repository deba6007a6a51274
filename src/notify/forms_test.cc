#include "notify/forms.h"

#include <gmock/gmock.h>

#include "base/sha256.h"
#include "base/strings.h"

namespace muster::notify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Time kNow = Time(std::chrono::milliseconds(1'700'000'000'123));

JobNews mnist() {
  JobNews job{.ns = "default", .name = "mnist", .kind = "PyTorchJob", .uid = "u1"};
  job.summary.state = jobs::State::kFailed;
  job.summary.cause = "exit code 1";
  return job;
}

Notice failure() {
  return {.occasion = Occasion::kFailure, .id = "failure", .text = "mnist failed: \"quoted\""};
}

TEST(Forms, SlackAndTheChatsGetAText) {
  EXPECT_EQ(request_for({.form = Form::kSlack, .url = "https://h/x"}, mnist(), failure(), kNow).body,
            R"({"text":"muster: mnist failed: \"quoted\""})");
  EXPECT_EQ(request_for({.form = Form::kFeishu, .url = "https://h/x"}, mnist(), failure(), kNow).body,
            R"({"msg_type":"text","content":{"text":"muster: mnist failed: \"quoted\""}})");
  EXPECT_EQ(request_for({.form = Form::kDingTalk, .url = "https://h/x"}, mnist(), failure(), kNow).body,
            R"({"msgtype":"text","text":{"content":"muster: mnist failed: \"quoted\""}})");
}

TEST(Forms, ProgramsGetTheWholeNotice) {
  const auto body = json::parse(request_for({.url = "https://h/x"}, mnist(), failure(), kNow).body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->string_at("occasion"), "failure");
  EXPECT_EQ(body->string_at("job"), "mnist");
  EXPECT_EQ(body->string_at("cause"), "exit code 1");
}

TEST(Forms, DingTalkIsSignedInTheQuery) {
  const WebHook hook{.form = Form::kDingTalk, .url = "https://h/x?access_token=t", .sign_secret = "SEC"};
  const std::string sign = base64_encode(hmac_sha256("SEC", "1700000000123\nSEC"));
  const std::string url = request_for(hook, mnist(), failure(), kNow).url;
  EXPECT_THAT(url, HasSubstr("https://h/x?access_token=t&timestamp=1700000000123&sign="));
  EXPECT_THAT(url, Not(HasSubstr("=\n")));
  EXPECT_EQ(url.substr(url.find("&sign=") + 6).find_first_of("+/="), std::string::npos);  // percent-encoded
  EXPECT_EQ(sign.size(), 44u);
}

TEST(Forms, FeishuIsSignedInTheBody) {
  const WebHook hook{.form = Form::kFeishu, .url = "https://h/x", .sign_secret = "SEC"};
  const auto body = json::parse(request_for(hook, mnist(), failure(), kNow).body);
  EXPECT_EQ(body->string_at("timestamp"), "1700000000");
  EXPECT_EQ(body->string_at("sign"), base64_encode(hmac_sha256("1700000000\nSEC", "")));
}

TEST(Forms, AnAnswerMayRefuseWithStatus200) {
  EXPECT_TRUE(check_answer(Form::kSlack, 200, "ok"));
  EXPECT_TRUE(check_answer(Form::kJson, 204, ""));
  EXPECT_EQ(check_answer(Form::kJson, 500, "x").error().message, "it answered with status 500");
  EXPECT_EQ(check_answer(Form::kJson, 302, "").error().message, "it answered with status 302");
  EXPECT_TRUE(check_answer(Form::kDingTalk, 200, R"({"errcode":0,"errmsg":"ok"})"));
  EXPECT_EQ(check_answer(Form::kDingTalk, 200, R"({"errcode":310000,"errmsg":"sign not match"})").error().message,
            "it answered with errcode 310000: sign not match");
  EXPECT_TRUE(check_answer(Form::kFeishu, 200, R"({"code":0,"msg":"success"})"));
  EXPECT_TRUE(check_answer(Form::kFeishu, 200, R"({"StatusCode":0})"));
  EXPECT_FALSE(check_answer(Form::kFeishu, 200, R"({"code":19021,"msg":"sign match fail"})"));
  EXPECT_FALSE(check_answer(Form::kFeishu, 200, "<html>"));
}

TEST(Forms, NoTextCanAddAHeaderToAMail) {
  Notice notice = failure();
  notice.text = "a\r\nBcc: everybody@example.org\n.\r\n";
  const std::string mail = mail_text({.to = {"me@example.org"}, .from = "muster@example.org"}, mnist(), notice, kNow);
  EXPECT_THAT(mail, Not(HasSubstr("\nBcc:")));
  EXPECT_THAT(mail, Not(HasSubstr("\r\n.\r\n")));
  EXPECT_THAT(mail, HasSubstr("Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"));
  EXPECT_THAT(mail, HasSubstr("To: me@example.org\r\n"));
}

TEST(Forms, ASubjectInOtherScriptsIsEncodedInShortWords) {
  Notice notice = failure();
  notice.text.clear();
  for (int i = 0; i < 60; ++i) notice.text += "训练";
  const std::string mail = mail_text({.to = {"a@b"}, .from = "c@d"}, mnist(), notice, kNow);
  const std::string head = mail.substr(0, mail.find("\r\n\r\n"));
  for (const std::string& line : split(head, '\n')) EXPECT_LE(line.size(), 90u) << line;
  EXPECT_THAT(head, HasSubstr("Subject: =?UTF-8?B?"));
}

}  // namespace
}  // namespace muster::notify
