#include "control/job/cause.h"

#include <gtest/gtest.h>

namespace muster::control {
namespace {

std::string cause_in(std::string_view log) {
  return find_cause(log).text;
}

/// What torchrun prints when all ranks have ended; `ends` are its paragraphs about them.
std::string torchrun_report(const std::string& ends) {
  return "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 1)\n"
         "Traceback (most recent call last):\n  File \"run.py\", line 766, in <module>\n    main()\n"
         "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
         "============================================================\ntrain.py FAILED\n"
         "------------------------------------------------------------\nFailures:\n" +
         ends + "============================================================\n";
}

std::string rank_end(int rank, const std::string& code) {
  return "[0]:\n  time      : 2026-11-17_13:37:17\n  host      : localhost\n  rank      : " + std::to_string(rank) +
         " (local_rank: 0)\n  exitcode  : " + code +
         " (pid: 20996)\n  error_file: <N/A>\n  traceback : To enable traceback see: https://pytorch.org\n";
}

constexpr const char* kOwnErrorLog =
    "Traceback (most recent call last):\n  File \"train.py\", line 6, in <module>\n    raise ValueError('no data')\n"
    "             ^^^^^^^^^^\nValueError: no data\n";
constexpr const char* kPeerLostLog =
    "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    dist.all_reduce(t)\n"
    "RuntimeError: [./gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:7365\n";

TEST(Cause, IsTheLastLineOfTheLastTraceback) {
  EXPECT_EQ(cause_in("epoch 1\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n"
                     "    open('x')\nFileNotFoundError: [Errno 2] No such file or directory: 'x'\n\n"
                     "During handling of the above exception, another exception occurred:\n\n"
                     "Traceback (most recent call last):\n  File \"train.py\", line 5, in <module>\n"
                     "ValueError: no data\nterminate called without an active exception\n"),
            "ValueError: no data");
}

TEST(Cause, IsTheLastLineOfOtherPrograms) {
  EXPECT_EQ(cause_in("step 1\r\nmake: *** [all] Error 2\n\n"), "make: *** [all] Error 2");
  EXPECT_EQ(cause_in(" 10%|#  |\r 50%|## |\r killed\r\n"), " killed");
  EXPECT_EQ(cause_in("unfinished"), "unfinished");
  EXPECT_EQ(cause_in(""), "");
  EXPECT_EQ(cause_in("\n \n"), "");
}

TEST(Cause, IsFoundBehindTheRankAndBeforeTheReportOfTorchrun) {
  EXPECT_EQ(cause_in("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 1, in <module>\n"
                     "[rank1]: RuntimeError: boom\n"
                     "E1117 api.py:833] failed (exitcode: 1) local_rank: 1\nTraceback (most recent call last):\n"
                     "  File \"/usr/bin/torchrun\", line 8, in <module>\n"
                     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\n"),
            "RuntimeError: boom");
}

TEST(Cause, OfSeveralRanksIsTheOneThatFailedByItself) {
  // torchrun's own report calls rank 2 the root cause, because it has ended with rank 3 and comes before it.
  const std::string log =
      std::string(kOwnErrorLog) + kPeerLostLog + torchrun_report(rank_end(3, "1") + rank_end(2, "1"));
  EXPECT_EQ(cause_in(log), "ValueError: no data");
  EXPECT_FALSE(find_cause(log).is_consequence);
  const Cause victim = find_cause(kPeerLostLog + torchrun_report(rank_end(0, "1") + rank_end(1, "1")));
  EXPECT_TRUE(victim.is_consequence);
  EXPECT_EQ(victim.text, "RuntimeError: [./gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:7365");
}

TEST(Cause, NamesTheRankWhenItIsKnown) {
  EXPECT_EQ(cause_in(kOwnErrorLog + torchrun_report(rank_end(3, "1") + rank_end(2, "-15"))),
            "rank 3: ValueError: no data");
  EXPECT_EQ(cause_in("[rank2]: Traceback (most recent call last):\n[rank2]:   File \"t.py\"\n[rank2]: KeyError: 'x'\n" +
                     torchrun_report(rank_end(3, "1") + rank_end(2, "1"))),
            "rank 2: KeyError: 'x'");
  EXPECT_EQ(cause_in("[rank2]: Traceback (most recent call last):\n[rank2]:   File \"t.py\"\n[rank2]: KeyError: 'x'\n"),
            "KeyError: 'x'")
      << "without a launcher the replica is the rank";
}

TEST(Cause, OfARankWithoutATracebackIsHowItEnded) {
  EXPECT_EQ(cause_in(kPeerLostLog + torchrun_report(rank_end(1, "-9") + rank_end(0, "1"))),
            "rank 1 was killed by signal 9");
  EXPECT_EQ(cause_in(kPeerLostLog + torchrun_report(rank_end(0, "1") + rank_end(1, "3"))),
            "rank 1 ended with exit code 3");
  EXPECT_EQ(cause_in(torchrun_report(rank_end(1, "1"))), "rank 1 ended with exit code 1");
  EXPECT_EQ(cause_in(torchrun_report("")), "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:");
}

TEST(Cause, OfATracebackThatIsCutOffIsItsLastLine) {
  EXPECT_EQ(cause_in("Traceback (most recent call last):\n  File \"t.py\", line 1"), "  File \"t.py\", line 1");
}

TEST(Cause, IsShortenedAtACharacter) {
  std::string line(299, 'a');
  line += "é and more";
  EXPECT_EQ(cause_in(line), std::string(299, 'a') + "…");
}

}  // namespace
}  // namespace muster::control
