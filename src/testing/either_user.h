// The fixture of tests with real pods: each runs once for an engine of root and once for one of an ordinary user.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "testing/test_pod.h"

namespace muster::agent {

class EitherUserTest : public ::testing::TestWithParam<EngineUser> {
 protected:
  void SetUp() override {
    if (GetParam() == EngineUser::kRoot && ::geteuid() != 0) GTEST_SKIP() << "needs root";
    if (GetParam() == EngineUser::kOrdinary && ::geteuid() == 0 && ::access("/usr/bin/setpriv", X_OK) != 0) {
      GTEST_SKIP() << "needs setpriv (package util-linux)";
    }
    make_pod();
  }
  void make_pod(const std::string& below = "") { pod_ = std::make_unique<TestPod>(GetParam(), below); }

  std::unique_ptr<TestPod> pod_;
};

}  // namespace muster::agent

/// Makes the tests of a fixture run for both users.
#define TEST_AS_EITHER_USER(fixture)                                                                              \
  INSTANTIATE_TEST_SUITE_P(                                                                                       \
      As, fixture, ::testing::Values(::muster::agent::EngineUser::kRoot, ::muster::agent::EngineUser::kOrdinary), \
      [](const auto& user) { return user.param == ::muster::agent::EngineUser::kRoot ? "Root" : "OrdinaryUser"; })
