#include "agent/ports/host_ports.h"

#include <gmock/gmock.h>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HostPorts, OnlyPortsWithAHostPortArePublishedAndOnlyTcpOnTheLoopback) {
  const auto pod = *json::parse(R"({"spec":{"containers":[
      {"name":"a","ports":[{"containerPort":80},{"containerPort":81,"hostPort":8081,"protocol":"TCP"}]},
      {"name":"b","ports":[{"containerPort":82,"hostPort":8082,"hostIP":"0.0.0.0"},
                           {"containerPort":83,"hostPort":8083,"hostIP":"10.0.0.1"},
                           {"containerPort":84,"hostPort":8084,"protocol":"UDP"}]},
      {"name":"c"}]}})");
  EXPECT_THAT(host_ports_of(pod),
              ElementsAre(HostPort{.on_host = 8081, .in_pod = 81}, HostPort{.on_host = 8082, .in_pod = 82},
                          HostPort{.on_host = 8083,
                                   .in_pod = 83,
                                   .problem = "hostIP \"10.0.0.1\": ports are published at 127.0.0.1 only"},
                          HostPort{.on_host = 8084, .in_pod = 84, .problem = "protocol UDP: only TCP is published"}));
  EXPECT_THAT(host_ports_of(json::Document{json::Object{}}), IsEmpty());
}

}  // namespace
}  // namespace muster::agent
