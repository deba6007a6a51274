#include "main/machine_names.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(MachineNames, AreThoseThatTheFileOfHostsHasForIt) {
  EXPECT_THAT(names_of_host("Box", "127.0.0.1 localhost\n127.0.1.1\tbox.lab.example  Box # this one\n10.0.0.2 other\n"),
              ElementsAre("box", "box.lab.example"));
  EXPECT_THAT(names_of_host("box", ""), ElementsAre("box"));
  EXPECT_THAT(names_of_host("box", "#10.0.0.1 box evil\nbox\n"), ElementsAre("box"));
}

TEST(MachineNames, AServerOnEveryAddressIsAskedUnderAllOfThem) {
  const auto names = server_names("0.0.0.0", "Box");
  EXPECT_THAT(names, IsSupersetOf({"127.0.0.1", "localhost", "::1", "box"}));
  for (const std::string& address : interface_addresses()) EXPECT_THAT(names, Contains(address));
  EXPECT_THAT(server_names("10.0.0.7", "Box"), ElementsAre("127.0.0.1", "localhost", "::1", "box", "10.0.0.7"));
}

TEST(MachineNames, TheReachableAddressIsOneOfTheInterfacesOrLoopback) {
  const auto addresses = interface_addresses();
  EXPECT_THAT(addresses, Not(Contains("127.0.0.1")));
  if (addresses.empty()) {
    EXPECT_EQ(reachable_address(), "127.0.0.1");
  } else {
    EXPECT_THAT(addresses, Contains(reachable_address()));
  }
}

}  // namespace
}  // namespace muster
