// Shared by the contract's cases: HTTP calls that wait for their response, a namespace per test, short functions for
// JSON, and a watch whose events can be waited for. The same case runs against every server.
//
// Deliberate differences from Kubernetes, which are therefore not compared, are listed in
// docs/kubernetes-differences.md.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "json/document.h"
#include "net/http.h"
#include "world.h"

namespace muster::contract {

using json::Document;

struct Answer {
  int code = 0;
  net::Headers headers;
  std::string text;
  Document body;

  const std::string& reason() const { return body.string_at("reason"); }
  const std::string& message() const { return body.string_at("message"); }
  /// "reason field" of each cause, in order.
  std::vector<std::string> causes() const;
  std::string version() const { return body.string_at("metadata", "resourceVersion"); }
};

struct WatchEvent {
  std::string type;
  Document object;
  const std::string& name() const { return object.string_at("metadata", "name"); }
};

/// An active watch.
class WatchTail {
 public:
  /// The next event, including BOOKMARKs; fails the test when none arrives in time.
  WatchEvent next();
  /// Whether the server ended the stream regularly.
  bool ended();
  int code();

 private:
  friend class ApiContract;
  explicit WatchTail(World& world) : world_(world) {}

  World& world_;
  int code_ = 0;
  std::string partial_;
  std::deque<WatchEvent> events_;
  bool ended_ = false;
  std::unique_ptr<net::Call> call_;
};

class ApiContract : public ::testing::TestWithParam<Where> {
 public:
  static constexpr const char* kJson = "application/json";
  static constexpr const char* kMerge = "application/merge-patch+json";
  static constexpr const char* kApply = "application/apply-patch+yaml";
  static constexpr const char* kJsonPatch = "application/json-patch+json";
  static constexpr const char* kStrategic = "application/strategic-merge-patch+json";

 protected:
  void SetUp() override;
  void TearDown() override;

  Answer call(const std::string& method, const std::string& target, const std::string& body = "",
              const std::string& content_type = kJson, const std::string& accept = kJson);
  /// Sends the request unchanged except for the token.
  Answer send(net::Request request);
  Answer get(const std::string& target) { return call("GET", target); }
  Answer post(const std::string& target, const std::string& body) { return call("POST", target, body); }
  Answer put(const std::string& target, const Document& body) { return call("PUT", target, json::serialize(body)); }
  Answer patch(const std::string& target, const std::string& body, const std::string& type = kMerge) {
    return call("PATCH", target, body, type);
  }
  Answer remove(const std::string& target, const std::string& options = "") { return call("DELETE", target, options); }
  Answer table(const std::string& target);
  std::unique_ptr<WatchTail> watch(const std::string& target, const std::string& accept = kJson);

  /// Polls until the predicate accepts the response; returns the last response.
  Answer get_until(const std::string& target, const std::function<bool(const Answer&)>& done);
  /// The same for any request: a server that decides from a cache may need some time to see a change.
  Answer ask_until(const std::function<Answer()>& ask, const std::function<bool(const Answer&)>& done);

  /// Makes every revision so far too old to list or watch from.
  void forget_history();

  bool is_ours() const { return GetParam() != Where::kKubernetes; }

  // These are paths in this test's namespace.
  std::string core(const std::string& rest) const { return "/api/v1/namespaces/" + ns_ + "/" + rest; }
  std::string kubeflow(const std::string& rest) const { return "/apis/kubeflow.org/v1/namespaces/" + ns_ + "/" + rest; }
  std::string tensorstack(const std::string& rest) const {
    return "/apis/batch.tensorstack.dev/v1beta1/namespaces/" + ns_ + "/" + rest;
  }

  static std::string pod(const std::string& name, const std::string& labels = "{}");
  static std::string config_map(const std::string& name, const std::string& labels = "{}");
  /// The pod "p" with additions to its spec and to its container: ",\"key\":value".
  static std::string pod_with(const std::string& spec, const std::string& container = "");
  static std::string pytorch_job(const std::string& name);
  static std::string training_job(const std::string& name);

  World* world_ = nullptr;
  std::string ns_;
};

inline const Document& at(const Document& value) {
  return value;
}
inline const Document& absent() {
  static const Document none;
  return none;
}

/// The value at a path of members and list positions: at(body, "spec", "containers", 0, "image").
template <typename... Rest>
const Document& at(const Document& value, const char* key, Rest... rest);
template <typename... Rest>
const Document& at(const Document& value, int index, Rest... rest);

template <typename... Rest>
const Document& at(const Document& value, const char* key, Rest... rest) {
  const Document* found = value.find(key);
  return found == nullptr ? absent() : at(*found, rest...);
}
template <typename... Rest>
const Document& at(const Document& value, int index, Rest... rest) {
  const auto position = static_cast<std::size_t>(index);
  return value.is_array() && position < value.as_array().size() ? at(value.as_array()[position], rest...) : absent();
}

/// The cause that Kubernetes adds when an object is too broken to check its rules over several fields.
inline constexpr const char* kRulesNotChecked = "FieldValueInvalid <nil>";

/// Makes failures readable.
inline void PrintTo(const Answer& answer, std::ostream* out) {
  *out << answer.code << " " << answer.text;
}

}  // namespace muster::contract

namespace muster::json {
inline void PrintTo(const Document& document, std::ostream* out) {
  *out << serialize(document);
}
}  // namespace muster::json
