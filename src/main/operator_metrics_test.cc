#include "main/operator_metrics.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text(bool leads, const client::RequestMeter::Counts& requests = {}) {
  std::string out;
  append_operator_metrics(out, {.leads = leads}, requests);
  return out;
}

TEST(OperatorMetricsTest, ItSaysWhoLeads) {
  EXPECT_THAT(text(true), HasSubstr("\nmuster_operator_is_leader 1\n"));
  EXPECT_THAT(text(false), HasSubstr("\nmuster_operator_is_leader 0\n"));
  EXPECT_THAT(text(false), HasSubstr("muster_build_info{version=\""));
}

TEST(OperatorMetricsTest, RefusedWritesAreTheWritesWithAnErrorForAnAnswer) {
  const client::RequestKind create{.verb = "create", .resource = "pods", .subresource = ""};
  const client::RequestKind get{.verb = "get", .resource = "pods", .subresource = ""};
  const std::string out =
      text(true, {{{create, "201"}, 5}, {{create, "409"}, 2}, {{create, "error"}, 1}, {{get, "404"}, 3}});
  const std::string pods = R"(resource="pods",subresource="",code=)";
  EXPECT_THAT(out, HasSubstr("muster_operator_api_requests_total{verb=\"create\"," + pods + "\"201\"} 5\n"));
  EXPECT_THAT(out, HasSubstr("muster_operator_api_requests_total{verb=\"create\"," + pods + "\"error\"} 1\n"));
  EXPECT_THAT(out, HasSubstr("muster_operator_api_requests_total{verb=\"get\"," + pods + "\"404\"} 3\n"));
  EXPECT_THAT(out, HasSubstr("muster_operator_writes_refused_total{verb=\"create\"," + pods + "\"409\"} 2\n"));
  for (const char* other :
       {"refused_total{verb=\"get\"", "refused_total{verb=\"create\",resource=\"pods\",subresource=\"\",code=\"201\"",
        "refused_total{verb=\"create\",resource=\"pods\",subresource=\"\",code=\"error\""}) {
    EXPECT_THAT(out, Not(HasSubstr(other)));
  }
}

}  // namespace
}  // namespace muster
