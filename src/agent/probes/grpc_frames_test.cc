#include "agent/probes/grpc_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string frame(char type, char flags, const std::string& payload) {
  const std::string head{
      0, static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size()), type, flags, 0, 0, 0, 1};
  return head + payload;
}
std::string status_message(char status) {
  return std::string("\0\0\0\0\2\x08", 6) + status;
}
const std::string kSettings = frame(4, 0, "");
const std::string kHeaders = frame(1, 4, "\x88");

std::string failure_of(const std::optional<ProbeResult>& result) {
  if (!result) return "none";
  return result->kind == ProbeResult::Kind::kSuccess ? "success" : result->output;
}

TEST(GrpcHealthCall, AsksForTheService) {
  GrpcHealthCall call("model", "127.0.0.1:9000");
  const std::string sent = call.take_output();
  EXPECT_THAT(sent, StartsWith("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  EXPECT_THAT(sent, HasSubstr("/grpc.health.v1.Health/Check"));
  EXPECT_THAT(sent, EndsWith(std::string("\0\0\0\0\7\x0a\5model", 12)));
  EXPECT_EQ(call.take_output(), "");
}

TEST(GrpcHealthCall, AServingServerIsHealthyHoweverItsBytesArrive) {
  GrpcHealthCall call("", "a");
  call.take_output();
  const std::string answer = kSettings + kHeaders + frame(0, 0, status_message(1));
  std::optional<ProbeResult> result;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    ASSERT_FALSE(result) << i;
    result = call.put(answer.substr(i, 1));
  }
  EXPECT_EQ(failure_of(result), "success");
  EXPECT_EQ(call.take_output(), std::string("\0\0\0\4\1\0\0\0\0", 9)) << "the settings are acknowledged";
}

TEST(GrpcHealthCall, OtherStatusesAreFailures) {
  GrpcHealthCall call("", "a");
  EXPECT_EQ(failure_of(call.put(kSettings + kHeaders + frame(0, 0, status_message(2)))),
            "service unhealthy (responded with \"NOT_SERVING\")");
  GrpcHealthCall empty("", "a");
  EXPECT_EQ(failure_of(empty.put(kHeaders + frame(0, 0, std::string(5, '\0')))),
            "service unhealthy (responded with \"UNKNOWN\")");
}

TEST(GrpcHealthCall, PaddingIsNoPartOfTheMessage) {
  GrpcHealthCall call("", "a");
  EXPECT_EQ(failure_of(call.put(frame(0, 8, "\2" + status_message(1) + "xx"))), "success");
}

TEST(GrpcHealthCall, WhatIsNoHealthServiceIsAFailure) {
  EXPECT_EQ(failure_of(GrpcHealthCall("", "a").put(frame(1, 5, "\x88"))),
            "the server refused grpc.health.v1.Health/Check");
  EXPECT_EQ(failure_of(GrpcHealthCall("", "a").put(frame(7, 0, std::string(8, '\0')))), "the server ended the call");
  EXPECT_EQ(failure_of(GrpcHealthCall("", "a").put("HTTP/1.1 400 Bad Request\r\n\r\n")), "the answer is not HTTP/2");
  EXPECT_EQ(failure_of(GrpcHealthCall("", "a").put(frame(0, 8, "\x7f"))), "the answer is not HTTP/2");
  EXPECT_EQ(failure_of(GrpcHealthCall("", "a").put(frame(0, 0, std::string("\0\x40\0\0\0", 5)))),
            "the answer is not a health status");
}

}  // namespace
}  // namespace muster::agent
