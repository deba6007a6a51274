#include "mpi/rank_line.h"

#include <gtest/gtest.h>

namespace muster::mpi {
namespace {

TEST(RankLine, WhatIsWrittenCanBeRead) {
  const Collector collector{.address = "127.3.0.9", .port = 4711, .key = "abc"};
  EXPECT_EQ(collector_text(collector), "127.3.0.9:4711:abc");
  EXPECT_EQ(parse_collector(collector_text(collector)), collector);
  EXPECT_EQ(start_line({.key = "abc", .rank = 3, .ranks = 4, .host = "job-worker-3"}), "abc 3 4 job-worker-3\n");
  EXPECT_EQ(parse_start("abc 3 4 job-worker-3"),
            (RankStart{.key = "abc", .rank = 3, .ranks = 4, .host = "job-worker-3"}));
  EXPECT_EQ(end_line({.code = 0, .signal = 9}), "0 9\n");
  EXPECT_EQ(parse_end("0 9"), (ProcessEnd{.code = 0, .signal = 9}));
  EXPECT_EQ(end_line({.code = 1, .why = "KeyError: 'a\nb'"}), "1 0 KeyError: 'a b'\n");
  EXPECT_EQ(parse_end("1 0 KeyError: 'a b'"), (ProcessEnd{.code = 1, .why = "KeyError: 'a b'"}));
}

TEST(RankLine, OtherTextIsNotTaken) {
  for (const char* text : {"", "127.0.0.1:1", "127.0.0.1:x:key", "127.0.0.1:70000:key", "a:1:b:c"}) {
    EXPECT_EQ(parse_collector(text), std::nullopt) << text;
  }
  for (const char* text :
       {"", "abc 1", "abc 1 host", "abc -1 2 host", "abc one 2 host", "abc 1 two host", "abc 1 2 host more"}) {
    EXPECT_EQ(parse_start(text), std::nullopt) << text;
  }
  const std::string too_long = "1 0 " + std::string(301, 'x');
  for (const char* text : {"", "0", "256 0", "-1 0", "0 x", "0 x y", too_long.c_str()}) {
    EXPECT_EQ(parse_end(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace muster::mpi
