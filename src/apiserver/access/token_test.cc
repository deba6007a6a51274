#include "apiserver/access/token.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

constexpr const char* kKey = "a key";

TokenClaims sample_claims() {
  return {.account = {.ns = "lab", .name = "builder", .uid = "u1", .pod = "w-0", .pod_uid = "u2"},
          .audiences = {kOwnAudience, "vault"},
          .issued = Time(std::chrono::seconds(1000)),
          .expires = Time(std::chrono::seconds(4600))};
}

TEST(Token, SaysWhatWasSigned) {
  const auto read = verify_token(sign_token(sample_claims(), kKey), kKey);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(user_name(service_account(read->account)), "system:serviceaccount:lab:builder");
  EXPECT_EQ(read->account.uid, "u1");
  EXPECT_EQ(read->account.pod, "w-0");
  EXPECT_EQ(read->account.pod_uid, "u2");
  EXPECT_EQ(read->audiences, sample_claims().audiences);
  EXPECT_EQ(read->issued, sample_claims().issued);
  EXPECT_EQ(read->expires, sample_claims().expires);
}

TEST(Token, AnotherKeyOrAnyChangedByteIsNoToken) {
  const std::string token = sign_token(sample_claims(), kKey);
  EXPECT_FALSE(verify_token(token, "another key"));
  EXPECT_FALSE(verify_token(sign_token(sample_claims(), ""), ""));
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verify_token(changed, kKey)) << i;
    EXPECT_FALSE(verify_token(token.substr(0, i), kKey)) << i;
  }
  EXPECT_FALSE(verify_token(token + "A", kKey));
}

TEST(Token, TheHeaderCannotChooseTheAlgorithm) {
  const std::string token = sign_token(sample_claims(), kKey);
  const std::string payload = token.substr(token.find('.'), token.rfind('.') - token.find('.'));
  const std::string none = "eyJhbGciOiJub25lIn0" + payload;  // {"alg":"none"}
  EXPECT_FALSE(verify_token(none + ".", kKey));
  std::string mac = base64_encode(hmac_sha256(kKey, none));
  for (char& c : mac) c = c == '+' ? '-' : c == '/' ? '_' : c;
  EXPECT_FALSE(verify_token(none + "." + mac.substr(0, mac.find('=')), kKey));
}

TEST(Token, TextThatIsNoTokenIsNone) {
  for (const char* text : {"", ".", "..", "...", "a.b.c", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.."}) {
    EXPECT_FALSE(verify_token(text, kKey)) << text;
  }
}

}  // namespace
}  // namespace muster::apiserver
