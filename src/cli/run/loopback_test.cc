#include "cli/run/loopback.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(LoopbackAddress, IsFoundInUrlsAndProxies) {
  EXPECT_EQ(loopback_address("http_proxy", "http://127.0.0.1:18991"), "127.0.0.1:18991");
  EXPECT_EQ(loopback_address("HTTPS_PROXY", "localhost:8080"), "127.0.0.1:8080");
  EXPECT_EQ(loopback_address("MLFLOW_TRACKING_URI", "http://user:word@localhost:5000/path"), "127.0.0.1:5000");
  EXPECT_EQ(loopback_address("HF_ENDPOINT", "https://127.1.2.3/x:1"), "127.1.2.3:443");
  EXPECT_EQ(loopback_address("all_proxy", "socks5h://127.0.0.1:1080"), "127.0.0.1:1080");
}

TEST(LoopbackAddress, IsNotSeenInOtherValues) {
  EXPECT_EQ(loopback_address("http_proxy", "http://proxy.example.com:3128"), std::nullopt);
  EXPECT_EQ(loopback_address("all_proxy", "socks5h://[::1]:1080"), std::nullopt) << "network.allow has IPv4 only";
  EXPECT_EQ(loopback_address("no_proxy", "localhost,127.0.0.1"), std::nullopt);
  EXPECT_EQ(loopback_address("MASTER_ADDR", "127.0.0.1"), std::nullopt) << "of the job itself";
  EXPECT_EQ(loopback_address("X", "file:///127.0.0.1:5000"), std::nullopt);
  EXPECT_EQ(loopback_address("X", "tcp://127.0.0.1"), std::nullopt) << "without a port";
  EXPECT_EQ(loopback_address("X", "http://127.0.0.1:port"), std::nullopt);
}

}  // namespace
}  // namespace muster::cli
