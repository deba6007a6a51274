#include "control/job/cause.h"

#include <gtest/gtest.h>

namespace muster::control {
namespace {

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
