#include "client/request_meter.h"

#include <gmock/gmock.h>

#include "client/api_client.h"
#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

TEST(RequestKindTest, APathNamesItsResource) {
  const auto kind = [](const std::string& method, const std::string& target) {
    const RequestKind found = request_kind(method, target);
    return found.verb + " " + found.resource + (found.subresource.empty() ? "" : "/" + found.subresource);
  };
  EXPECT_EQ(kind("GET", "/api/v1/pods?limit=500"), "list pods");
  EXPECT_EQ(kind("GET", "/api/v1/namespaces/a/pods?watch=true&x=y"), "watch pods");
  EXPECT_EQ(kind("GET", "/api/v1/namespaces/a/pods/watch=true"), "get pods") << "that is a name";
  EXPECT_EQ(kind("GET", "/api/v1/namespaces/a"), "get namespaces");
  EXPECT_EQ(kind("GET", "/api/v1/namespaces"), "list namespaces");
  EXPECT_EQ(kind("POST", "/api/v1/namespaces/a/pods?fieldManager=x"), "create pods");
  EXPECT_EQ(kind("PATCH", "/apis/kubeflow.org/v1/namespaces/a/pytorchjobs/b/status"),
            "patch pytorchjobs.kubeflow.org/status");
  EXPECT_EQ(kind("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/b"), "update leases.coordination.k8s.io");
  EXPECT_EQ(kind("DELETE", "/apis/g/v1/things/b"), "delete things.g");
  EXPECT_EQ(kind("GET", "/version"), "GET ");
  EXPECT_EQ(kind("GET", "/apis"), "GET ");
  EXPECT_EQ(kind("GET", "/apis/kubeflow.org/v1"), "GET ");
}

TEST(RequestKindTest, WritesAreToldApart) {
  EXPECT_TRUE(request_kind("POST", "/api/v1/namespaces/a/pods").is_write());
  EXPECT_TRUE(request_kind("DELETE", "/api/v1/namespaces/a/pods/b").is_write());
  for (const char* target : {"/api/v1/pods", "/api/v1/pods?watch=true", "/api/v1/namespaces/a/pods/b", "/version"}) {
    EXPECT_FALSE(request_kind("GET", target).is_write()) << target;
  }
}

TEST(RequestMeterTest, RequestsAreCountedByCode) {
  testing::SimLoop loop;
  FakeTransport server(loop);
  RequestMeter meter(server);
  ApiClient client(meter, "");
  const ObjectName pod{.resource = {"", "v1", "pods"}, .ns = "a", .name = "b"};
  std::vector<int> ends;
  for (int i = 0; i < 4; ++i) {
    client.get(pod, [&ends](const Result<json::Document>& got) { ends.push_back(got.has_value() ? 1 : 0); });
  }
  server.reply(0, 200, "{}");
  server.reply(1, 200, "{}");
  server.reply(2, 404, "{}");
  const Error refused{.reason = Reason::kServiceUnavailable, .message = "connection refused"};
  server.end(3, refused);
  loop.settle();
  EXPECT_EQ(ends, (std::vector<int>{1, 1, 0, 0})) << "everything passes";
  const RequestKind get{.verb = "get", .resource = "pods", .subresource = ""};
  EXPECT_EQ(meter.counts(), (RequestMeter::Counts{{{get, "200"}, 2}, {{get, "404"}, 1}, {{get, "error"}, 1}}));
}

}  // namespace
}  // namespace muster::client
