#include "base/prometheus.h"

#include <gmock/gmock.h>

namespace muster::prometheus {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(PrometheusTest, AHistogramCountsEachDurationInAllBucketsThatHoldIt) {
  constexpr Histogram<2>::Buckets kBuckets = {0.1, 1};
  Histogram<2> histogram;
  for (const int ms : {50, 100, 500, 5000}) histogram.add(milliseconds(ms), kBuckets);
  std::string out;
  histogram.append(out, "took_seconds", R"(kind="a")", kBuckets);
  EXPECT_EQ(out,
            "took_seconds_bucket{kind=\"a\",le=\"0.1\"} 2\n"
            "took_seconds_bucket{kind=\"a\",le=\"1\"} 3\n"
            "took_seconds_bucket{kind=\"a\",le=\"+Inf\"} 4\n"
            "took_seconds_sum{kind=\"a\"} 5.65\n"
            "took_seconds_count{kind=\"a\"} 4\n");
}

TEST(PrometheusTest, AHistogramNeedsNoLabels) {
  std::string out;
  Histogram<1>().append(out, "took_seconds", "", {1});
  EXPECT_EQ(out,
            "took_seconds_bucket{le=\"1\"} 0\n"
            "took_seconds_bucket{le=\"+Inf\"} 0\n"
            "took_seconds_sum 0\n"
            "took_seconds_count 0\n");
}

TEST(PrometheusTest, ALabelIsEscaped) {
  EXPECT_EQ(label_value("a\"b\\c\nd"), R"(a\"b\\c\nd)");
}

TEST(PrometheusTest, AProcessHasMemoryAndProcessorTime) {
  std::string out;
  append_process(out);
  EXPECT_THAT(out, HasSubstr("# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes "));
  EXPECT_THAT(out, HasSubstr("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total "));
}

}  // namespace
}  // namespace muster::prometheus
