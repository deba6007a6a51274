#include "agent/pod/record.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

// As a shim of this version writes them.
const std::string kState =
    R"({"version":2,"ran":true,"init_pid":7,"containers":[{"name":"main","init":false,"state":"running","run":3,"pid":9,)"
    R"("started":"2026-11-17T03:23:39.741416246Z","last":{"run":2,"started":"2026-11-17T03:22:00.000000000Z",)"
    R"("finished":"2026-11-17T03:23:00.000000000Z","code":137,"signal":9,"termination":"out of memory"}}],"notices":["n"]})"
    "\n";

std::string with_checksum(const std::string& line, const std::string& checksum) {
  return line + checksum + "\n";
}

TEST(Record, HoldsTheCurrentAndTheLastRun) {
  const auto record = parse_record(with_checksum(kState, "fc6e39814fb0f7a7"));
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->init_pid, 7);
  const ContainerRecord* main = record->find("main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->state, RunState::kRunning);
  EXPECT_EQ(main->run, 3);
  EXPECT_EQ(main->pid, 9);
  ASSERT_TRUE(main->last);
  EXPECT_EQ(main->last->run, 2);
  EXPECT_EQ(main->last->code, 137);
  EXPECT_EQ(main->last->signal, 9);
  EXPECT_EQ(main->last->termination, "out of memory");
}

TEST(Record, ATornOneIsNotThere) {
  const std::string whole = with_checksum(kState, "fc6e39814fb0f7a7");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_record(whole.substr(0, size))) << size;
    std::string zeros = whole;
    zeros.replace(size, std::string::npos, whole.size() - size, '\0');
    EXPECT_FALSE(parse_record(zeros)) << size;
  }
  EXPECT_FALSE(parse_identity("{\"version\":2,\"pid\":1,\"starttime\":1,\"boot_id\":\"b\",\"pidns\":1}\n"));
}

TEST(Record, Version1HasNoChecksum) {
  const auto record = parse_record(
      "{\"version\":1,\"ran\":true,\"init_pid\":7,\"containers\":[{\"name\":\"main\",\"init\":false,"
      "\"state\":\"terminated\",\"code\":3,\"signal\":0}],\"notices\":[]}\n");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->find("main")->code, 3);
  const auto identity = parse_identity("{\"version\":1,\"pid\":1,\"starttime\":1,\"boot_id\":\"b\",\"pidns\":1}\n");
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->version, 1);
}

}  // namespace
}  // namespace muster::agent
