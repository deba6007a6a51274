#include "mpi/rank_book.h"

#include <gtest/gtest.h>

namespace muster::mpi {
namespace {

constexpr MonoTime kStart{};
constexpr Duration kSecond = std::chrono::seconds(1);

RankBook book_of_three() {
  RankBook book;
  for (int rank = 0; rank < 3; ++rank) book.start(rank, 3, "worker-" + std::to_string(rank));
  return book;
}

TEST(RankBook, AllRanksEndedWellIsSuccess) {
  RankBook book = book_of_three();
  for (int rank = 0; rank < 3; ++rank) book.end(rank, {}, kStart);
  EXPECT_EQ(book.verdict("mpirun", {}), (Verdict{}));
  EXPECT_EQ(book.gives_up_at(), std::nullopt);
}

TEST(RankBook, FailedRankIsAFailureWhateverMpirunReturns) {
  RankBook book = book_of_three();
  book.end(0, {}, kStart);
  book.end(2, {.code = 3}, kStart + kSecond);
  const Verdict failed{.code = 3, .message = "rank 2 (on worker-2) exited with code 3"};
  EXPECT_EQ(book.verdict("mpirun", {}), failed);
  EXPECT_EQ(book.verdict("mpirun", {.code = 1}), failed);
}

TEST(RankBook, FirstFailureIsTheCause) {
  RankBook book = book_of_three();
  book.end(1, {.signal = 9}, kStart);
  book.end(0, {.signal = 15}, kStart + kSecond);
  EXPECT_EQ(book.verdict("mpirun", {.code = 137}),
            (Verdict{.code = 137, .message = "rank 1 (on worker-1) was killed by signal 9"}));
}

TEST(RankBook, RankThatIsStartedAgainIsForgiven) {
  RankBook book = book_of_three();
  book.end(1, {.code = 1}, kStart);
  EXPECT_EQ(book.gives_up_at(), kStart + RankBook::kPatience);
  book.start(1, 3, "worker-1");
  EXPECT_EQ(book.gives_up_at(), std::nullopt);
  for (int rank = 0; rank < 3; ++rank) book.end(rank, {}, kStart + kSecond);
  EXPECT_EQ(book.verdict("mpirun", {}), (Verdict{}));
}

TEST(RankBook, GivesUpAfterTheFirstRankThatIsMissing) {
  RankBook book = book_of_three();
  book.end(1, {.code = 1}, kStart);
  book.end(2, {.code = 1}, kStart + kSecond);
  EXPECT_EQ(book.gives_up_at(), kStart + RankBook::kPatience);
  book.start(1, 3, "worker-1");
  EXPECT_EQ(book.gives_up_at(), kStart + kSecond + RankBook::kPatience);
}

TEST(RankBook, RankWhoseEndIsUnknownIsAFailure) {
  RankBook book = book_of_three();
  book.end(0, {}, kStart);
  book.end(2, {}, kStart);
  EXPECT_FALSE(book.is_complete());
  EXPECT_EQ(
      book.verdict("mpirun", {}),
      (Verdict{.code = 1, .message = "rank 1 (on worker-1) did not report how it ended, so the job counts as failed"}));
  EXPECT_EQ(book.verdict("mpirun", {.code = 7}), (Verdict{.code = 7, .message = "mpirun exited with code 7"}));
  book.end(1, {}, kStart);
  EXPECT_TRUE(book.is_complete());
}

TEST(RankBook, RankThatOnlyItsPeersKnowOfIsAFailure) {
  RankBook book;
  book.start(0, 2, "worker-0");
  book.end(0, {}, kStart);
  EXPECT_EQ(book.verdict("mpirun", {}),
            (Verdict{.code = 1, .message = "rank 1 did not report how it ended, so the job counts as failed"}));
}

TEST(RankBook, FloodThatHidesAllRanksIsAFailure) {
  RankBook book;
  book.lose_sight();
  EXPECT_EQ(book.verdict("mpirun", {}).code, 1);
  book.start(0, 1, "worker-0");
  book.end(0, {}, kStart);
  EXPECT_EQ(book.verdict("mpirun", {}), (Verdict{})) << "every rank has reported";
}

TEST(RankBook, WithoutRanksTheLauncherDecides) {
  const RankBook book;
  EXPECT_EQ(book.verdict("horovodrun", {}), (Verdict{}));
  EXPECT_EQ(book.verdict("horovodrun", {.code = 1}), (Verdict{.code = 1, .message = "horovodrun exited with code 1"}));
  EXPECT_EQ(book.verdict("mpirun", {.signal = 15}),
            (Verdict{.code = 143, .message = "mpirun was killed by signal 15"}));
}

}  // namespace
}  // namespace muster::mpi
