#include <gmock/gmock.h>

#include <csignal>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

INSTANTIATE_TEST_SUITE_P(Contract, ApiContract,
                         ::testing::Values(Where::kInProcess, Where::kOverHttps, Where::kKubernetes),
                         [](const auto& tested) { return where_name(tested.param); });

}  // namespace
}  // namespace muster::contract

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleMock(&argc, argv);
  const int result = RUN_ALL_TESTS();
  muster::contract::close_worlds();
  return result;
}
