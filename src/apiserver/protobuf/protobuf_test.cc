// Bodies in protobuf, from hand-made bytes: what they decode to, and that malformed ones do no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/protobuf/body.h"
#include "apiserver/protobuf/message.h"
#include "base/protobuf_wire.h"

namespace muster::apiserver::protobuf {
namespace {

using ::testing::HasSubstr;

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  return out + static_cast<char>(value);
}

std::string bytes_field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string number_field(std::uint32_t number, std::int64_t value) {
  return varint(number << 3) + varint(static_cast<std::uint64_t>(value));
}

std::string entry(const std::string& key, const std::string& value) {
  return bytes_field(1, key) + bytes_field(2, value);
}

std::string envelope(const std::string& api_version, const std::string& kind, const std::string& raw) {
  return std::string("k8s\0", 4) + bytes_field(1, bytes_field(1, api_version) + bytes_field(2, kind)) +
         bytes_field(2, raw) + bytes_field(3, "") + bytes_field(4, "");
}

std::string text_of(const std::string& body) {
  const auto object = decode_body(body);
  return object ? json::serialize(*object) : "error: " + object.error().message;
}

/// ObjectMeta as Go writes it: empty strings and the zero time are on the wire too.
std::string metadata(const std::string& name) {
  return bytes_field(1, name) + bytes_field(2, "") + bytes_field(3, "") + bytes_field(4, "") + bytes_field(5, "") +
         bytes_field(6, "") + number_field(7, 0) + bytes_field(8, "");
}

std::string secret_body() {
  return envelope("v1", "Secret",
                  bytes_field(1, metadata("s") + bytes_field(11, entry("app", "x"))) +
                      bytes_field(2, entry("key", std::string("\0\xff", 2))) + bytes_field(3, "Opaque"));
}

std::string service_body() {
  const std::string port = bytes_field(1, "web") + bytes_field(2, "TCP") + number_field(3, 80) +
                           bytes_field(4, number_field(1, 1) + number_field(2, 0) + bytes_field(3, "http")) +
                           number_field(5, 0);
  const std::string plain = number_field(3, 81) + bytes_field(4, number_field(2, 8081));
  return envelope("v1", "Service",
                  bytes_field(1, metadata("s")) + bytes_field(2, bytes_field(1, port) + bytes_field(1, plain)));
}

TEST(Protobuf, EmptyFieldsOfGoAreLeftOutAsInJson) {
  EXPECT_EQ(text_of(envelope("v1", "Namespace",
                             bytes_field(1, metadata("n")) + bytes_field(2, "") + bytes_field(3, bytes_field(1, "")))),
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"},"spec":{},"status":{}})");
}

TEST(Protobuf, BytesBecomeBase64AndMapsObjects) {
  EXPECT_EQ(text_of(secret_body()),
            R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","labels":{"app":"x"}},"type":"Opaque",)"
            R"("data":{"key":"AP8="}})");
}

TEST(Protobuf, Deployments) {
  const std::string selector = bytes_field(1, entry("app", "web"));
  const std::string container = bytes_field(1, "c") + bytes_field(2, "i");
  const std::string pod_template =
      bytes_field(1, bytes_field(11, entry("app", "web"))) + bytes_field(2, bytes_field(2, container));
  const std::string share = number_field(1, 1) + number_field(2, 0) + bytes_field(3, "25%");
  const std::string strategy = bytes_field(1, "RollingUpdate") + bytes_field(2, bytes_field(1, share));
  const std::string spec = number_field(1, 3) + bytes_field(2, selector) + bytes_field(3, pod_template) +
                           bytes_field(4, strategy) + number_field(5, 0) + number_field(7, 0);
  const auto object =
      decode_body(envelope("apps/v1", "Deployment", bytes_field(1, bytes_field(1, "web")) + bytes_field(2, spec)));
  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ(object->string_at("metadata", "name"), "web");
  EXPECT_EQ(object->int_at("spec", "replicas"), 3);
  EXPECT_EQ(object->string_at("spec", "selector", "matchLabels", "app"), "web");
  EXPECT_EQ(object->string_at("spec", "template", "metadata", "labels", "app"), "web");
  EXPECT_EQ(object->at("spec", "template", "spec", "containers")->as_array()[0].string_at("image"), "i");
  EXPECT_EQ(object->string_at("spec", "strategy", "rollingUpdate", "maxUnavailable"), "25%");
  EXPECT_EQ(object->at("spec", "paused"), nullptr);
}

TEST(Protobuf, ListsNumbersAndIntOrString) {
  EXPECT_EQ(text_of(service_body()),
            R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"s"},"spec":{"ports":[)"
            R"({"name":"web","protocol":"TCP","port":80,"targetPort":"http"},{"port":81,"targetPort":8081}]}})");
}

TEST(Protobuf, TimesQuantitiesAndPointers) {
  const std::string lease =
      bytes_field(1, metadata("l")) +
      bytes_field(2, bytes_field(1, "me") + number_field(2, 15) +
                         bytes_field(3, number_field(1, 1'700'000'000) + number_field(2, 1'500'000)) +
                         number_field(5, 0));
  EXPECT_EQ(text_of(envelope("coordination.k8s.io/v1", "Lease", lease)),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":)"
            R"({"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2023-11-14T22:13:20.001500Z",)"
            R"("leaseTransitions":0}})");
  const std::string limits = bytes_field(8, bytes_field(1, entry("cpu", bytes_field(1, "500m"))));
  EXPECT_THAT(text_of(envelope("v1", "Pod", bytes_field(2, bytes_field(2, bytes_field(1, "c") + limits)))),
              HasSubstr(R"("resources":{"limits":{"cpu":"500m"}})"));
}

TEST(Protobuf, MembersOfAnInlineMessageAreThoseOfTheOneAround) {
  const std::string volume = bytes_field(1, "tmp") + bytes_field(2, bytes_field(2, bytes_field(1, "Memory")));
  EXPECT_THAT(text_of(envelope("v1", "Pod", bytes_field(2, bytes_field(1, volume)))),
              HasSubstr(R"("volumes":[{"name":"tmp","emptyDir":{"medium":"Memory"}}])"));
}

TEST(Protobuf, OptionsOfADeletionMayBeOfAnyGroup) {
  const std::string options = number_field(1, 0) + bytes_field(2, bytes_field(1, "u")) + bytes_field(4, "Foreground");
  EXPECT_EQ(text_of(envelope("scheduling.k8s.io/v1", "DeleteOptions", options)),
            R"({"kind":"DeleteOptions","apiVersion":"scheduling.k8s.io/v1","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u"},"propagationPolicy":"Foreground"})");
}

TEST(Protobuf, UnknownFieldsAreSkipped) {
  const std::string strange =
      number_field(900, 7) + bytes_field(901, "x") + varint(902 << 3 | 1) + "12345678" + varint(903 << 3 | 5) + "1234";
  EXPECT_EQ(text_of(envelope("v1", "ConfigMap", strange + bytes_field(1, metadata("c")))),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"}})");
}

TEST(Protobuf, KindsWithoutATableAreAnotherMediaType) {
  const auto object = decode_body(envelope("kubeflow.org/v1", "PyTorchJob", ""));
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, Reason::kUnsupportedMediaType);
  EXPECT_THAT(object.error().message, HasSubstr("\"PyTorchJob\""));
}

TEST(Protobuf, BrokenBytesAreBadRequests) {
  const std::string longest(10, '\xff');
  for (const std::string& body : {
           std::string(),
           std::string("{}"),
           envelope("v1", "", ""),
           envelope("v1", "ConfigMap", bytes_field(1, bytes_field(1, "\xff\xfe"))),                  // not UTF-8
           envelope("v1", "ConfigMap", number_field(1, 5)),                                          // wire type
           envelope("v1", "ConfigMap", varint(1 << 3 | 2) + longest),                                // length
           envelope("v1", "ConfigMap", varint(1 << 3 | 2) + varint(~std::uint64_t{0})),              // length
           envelope("v1", "ConfigMap", varint(1 << 3 | 3)),                                          // group
           envelope("v1", "ConfigMap", varint(2)),                                                   // field number 0
           envelope("v1", "ConfigMap", bytes_field(1, bytes_field(8, number_field(1, 1LL << 60)))),  // time
           envelope("v1", "ConfigMap", bytes_field(1, bytes_field(17, bytes_field(7, bytes_field(1, "{"))))),
       }) {
    const auto object = decode_body(body);
    ASSERT_FALSE(object.has_value()) << json::serialize(*object);
    EXPECT_EQ(object.error().reason, Reason::kBadRequest);
  }
}

TEST(Protobuf, BodiesCutOffAnywhereAreBadRequests) {
  for (const std::string& whole : {secret_body(), service_body()}) {
    ASSERT_TRUE(decode_body(whole).has_value());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto object = decode_body(std::string_view(whole).substr(0, length));
      EXPECT_TRUE(object.has_value() || object.error().reason == Reason::kBadRequest) << length;
    }
    // Inside the object every truncation is detected, except between two fields.
    const std::string raw = whole.substr(whole.find("\x0a", 8));
    for (std::size_t length = 0; length < raw.size(); ++length) {
      const auto object = decode_body(envelope("v1", "Service", raw.substr(0, length)));
      EXPECT_TRUE(object.has_value() || object.error().reason == Reason::kBadRequest) << length;
    }
  }
}

TEST(Protobuf, EveryByteCanBeWrong) {
  const std::string whole = service_body();
  for (std::size_t at = 4; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string broken = whole;
      broken[at] = static_cast<char>(value);
      const auto object = decode_body(broken);
      EXPECT_TRUE(!object.has_value() || json::parse(json::serialize(*object)).has_value());
    }
  }
}

TEST(Protobuf, MapsAreAsBigAsThoseOfJson) {
  std::string data;
  for (std::size_t i = 0; i <= json::kMaxMembers; ++i) data += bytes_field(2, entry(std::to_string(i), ""));
  EXPECT_THAT(text_of(envelope("v1", "ConfigMap", data)), HasSubstr("data: has 20001 entries"));
}

}  // namespace
}  // namespace muster::apiserver::protobuf
