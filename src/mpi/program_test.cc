#include "mpi/program.h"

#include <gtest/gtest.h>

namespace muster::mpi {
namespace {

TEST(Program, VariablesAreReadAndReplaced) {
  const Invocation invocation{.args = {}, .environment = {"PATH=/bin", "PATHS=x", "EMPTY="}};
  EXPECT_EQ(variable(invocation, "PATH"), "/bin");
  EXPECT_EQ(variable(invocation, "EMPTY"), "");
  EXPECT_EQ(variable(invocation, "OTHER"), std::nullopt);
  EXPECT_EQ(with_variable(invocation.environment, "PATH", "/usr/bin"),
            (std::vector<std::string>{"PATHS=x", "EMPTY=", "PATH=/usr/bin"}));
}

TEST(Program, ProgramsAreFoundAsAShellFindsThem) {
  EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/sh", ""), "/bin/sh");
  EXPECT_EQ(find_program("/bin/no-such-program", "/bin"), std::nullopt);
  EXPECT_EQ(find_program("no-such-program", "/bin"), std::nullopt);
}

TEST(Program, HostStandsForAContainerOfAPod) {
  const std::string lines =
      "a-worker-0.a-worker a-12345-worker-0 worker\na-worker-1.a-worker a-12345-worker-1 worker\n";
  EXPECT_EQ(find_host(lines, "a-worker-1.a-worker"), (HostPod{.pod = "a-12345-worker-1", .container = "worker"}));
  EXPECT_EQ(find_host(lines, "a-worker-1"), std::nullopt);
  EXPECT_EQ(find_host("", "a"), std::nullopt);
}

TEST(Program, EachNameIsAProgramOfItsOwn) {
  EXPECT_NE(find_pod_program("muster-rsh"), nullptr);
  EXPECT_NE(find_pod_program("muster-rank"), find_pod_program("muster-mpirun"));
  EXPECT_EQ(find_pod_program("muster"), nullptr);
}

}  // namespace
}  // namespace muster::mpi
