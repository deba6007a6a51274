#include "agent/metrics/history.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kStart = 1'767'225'600;  // a multiple of both steps

const HistoryLayout kLayout{.columns = {"cpu", "memory"}, .tiers = {{2, 5}, {10, 6}}};

std::vector<std::int64_t> times_of(const std::vector<Frame>& frames) {
  std::vector<std::int64_t> times;
  for (const Frame& frame : frames) times.push_back(frame.time - kStart);
  return times;
}

/// The file after these frames were written.
std::string file_with(const std::vector<Frame>& fine, const std::vector<Frame>& coarse) {
  std::string file = encode_header(kLayout);
  const auto write = [&file](const std::vector<FilePatch>& patches) {
    for (const FilePatch& patch : patches) {
      const auto offset = static_cast<std::size_t>(patch.offset);
      file.resize(std::max(file.size(), offset + patch.bytes.size()));
      file.replace(offset, patch.bytes.size(), patch.bytes);
    }
  };
  write(encode_frames(kLayout, 0, fine));
  write(encode_frames(kLayout, 1, coarse));
  return file;
}

Time at(std::int64_t seconds) {
  return Time(std::chrono::seconds(kStart + seconds));
}

TEST(FrameRing, KeepsTheNewestInOrder) {
  FrameRing ring(1, 3);
  for (int i = 1; i <= 5; ++i) ring.add({kStart + 2 * i, {static_cast<float>(i)}});
  EXPECT_THAT(times_of(ring.later_than(0)), ElementsAre(6, 8, 10));
  EXPECT_THAT(times_of(ring.later_than(kStart + 8)), ElementsAre(10));
  EXPECT_THAT(ring.later_than(0).front().values, ElementsAre(3));
}

TEST(FrameRing, ASecondFrameOfOneStepTakesThePlaceOfTheFirst) {
  FrameRing ring(1, 3);
  for (int i = 1; i <= 4; ++i) ring.add({kStart + 2 * i, {1}});
  ring.add({kStart + 8, {2}});
  EXPECT_THAT(times_of(ring.later_than(0)), ElementsAre(4, 6, 8));
  EXPECT_THAT(ring.later_than(kStart + 6).front().values, ElementsAre(2));
}

TEST(FrameRing, AClockThatIsSetBackStartsAgain) {
  FrameRing ring(1, 3);
  for (int i = 1; i <= 4; ++i) ring.add({kStart + 2 * i, {1}});
  ring.add({kStart + 4, {2}});
  EXPECT_THAT(times_of(ring.later_than(0)), ElementsAre(4));
}

TEST(Average, LeavesOutWhatWasNotMeasured) {
  Average average(10);
  EXPECT_FALSE(average.add({kStart + 2, {1, kNan}}));
  EXPECT_FALSE(average.add({kStart + 10, {3, kNan}}));
  const auto complete = average.add({kStart + 12, {5, 6}});
  ASSERT_TRUE(complete);
  EXPECT_EQ(complete->time, kStart + 10);
  EXPECT_EQ(complete->values[0], 2);
  EXPECT_TRUE(std::isnan(complete->values[1]));
  ASSERT_TRUE(average.rest());
  EXPECT_THAT(average.rest()->values, ElementsAre(5, 6));
  EXPECT_FALSE(Average(10).rest());
}

TEST(HistoryFile, NeverGrowsBeyondItsLayout) {
  std::vector<Frame> fine;
  std::vector<Frame> coarse;
  for (int i = 1; i <= 100; ++i) fine.push_back({kStart + 2 * i, {static_cast<float>(i), 0}});
  for (int i = 1; i <= 20; ++i) coarse.push_back({kStart + 10 * i, {static_cast<float>(i), 0}});
  const std::string file = file_with(fine, coarse);
  EXPECT_LE(static_cast<std::int64_t>(file.size()), kLayout.bytes());
  const auto history = decode_history(file);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->layout, kLayout);
  EXPECT_THAT(times_of(history->tiers[0]), ElementsAre(192, 194, 196, 198, 200));
  EXPECT_THAT(times_of(history->tiers[1]), ElementsAre(150, 160, 170, 180, 190, 200));
  EXPECT_THAT(history->tiers[0].back().values, ElementsAre(100, 0));
}

TEST(HistoryFile, FramesInARowAreOneWrite) {
  EXPECT_THAT(encode_frames(kLayout, 0, {{kStart + 2, {1, 2}}, {kStart + 4, {1, 2}}, {kStart + 6, {1, 2}}}), SizeIs(1));
}

TEST(HistoryFile, IgnoresTornSlotsAndOldOnes) {
  std::string file = file_with({{kStart + 2, {1, 1}}, {kStart + 4, {2, 2}}, {kStart + 66, {3, 3}}}, {});
  file.replace(kHeaderBytes + 2 * 16, 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);  // the slot of +4
  const auto history = decode_history(file);
  ASSERT_TRUE(history);
  EXPECT_THAT(times_of(history->tiers[0]), ElementsAre(66));
}

TEST(HistoryFile, AFileOfAnythingElseIsAnError) {
  for (const std::string text :
       {"", "x", "{}", R"({"version":2})", R"({"version":1,"columns":[1],"tiers":[]})",
        R"({"version":1,"columns":[],"tiers":[[2]]})", R"({"version":1,"columns":[],"tiers":[[0,5]]})",
        R"({"version":1,"columns":[],"tiers":[["2","5"]]})", R"({"version":1,"columns":[],"tiers":[[2,99999999999]]})"})
    EXPECT_FALSE(decode_history(text)) << text;
}

TEST(HistoryFile, KeepsItsFramesUnderANewLayout) {
  const auto old = decode_history(file_with({{kStart + 2, {1, 2}}}, {{kStart + 10, {3, 4}}}));
  ASSERT_TRUE(old);
  const StoredHistory changed = with_layout(*old, {.columns = {"memory", "gpu-0-memory"}, .tiers = {{2, 9}, {10, 99}}});
  ASSERT_EQ(times_of(changed.tiers[1]), std::vector<std::int64_t>{10});
  EXPECT_EQ(changed.tiers[1].front().values[0], 4);
  EXPECT_TRUE(std::isnan(changed.tiers[1].front().values[1]));
}

class AnswerHistory : public ::testing::Test {
 protected:
  AnswerHistory() : history_{.layout = kLayout, .tiers = {{}, {}}} {
    for (int i = 1; i <= 5; ++i) history_.tiers[0].push_back({kStart + 50 + 2 * i, {static_cast<float>(i), 10}});
    for (int i = 1; i <= 6; ++i) history_.tiers[1].push_back({kStart + 10 * i, {static_cast<float>(10 * i), 20}});
  }
  Result<node::History> ask(const node::HistoryRequest& request) { return answer_history(history_, request, at(60)); }
  static std::vector<std::int64_t> times_in(const node::History& answer) {
    std::vector<std::int64_t> times;
    for (const Time time : answer.times) times.push_back((time - at(0)) / std::chrono::seconds(1));
    return times;
  }
  StoredHistory history_;
};

TEST_F(AnswerHistory, LongAgoIsCoarse) {
  const auto answer = ask({});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->step, std::chrono::seconds(10));
  EXPECT_THAT(times_in(*answer), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_THAT(answer->series[0].values, ElementsAre(10, 20, 30, 40, 50, 3));
  EXPECT_EQ(answer->series[0].name, "cpu");
  EXPECT_EQ(answer->series[0].unit, "cores");
}

TEST_F(AnswerHistory, LatelyIsFine) {
  const auto answer = ask({.from = at(54)});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->step, std::chrono::seconds(2));
  EXPECT_THAT(times_in(*answer), ElementsAre(54, 56, 58, 60));
  EXPECT_THAT(answer->series[0].values, ElementsAre(2, 3, 4, 5));
}

TEST_F(AnswerHistory, AnyStepIsAnAverage) {
  const auto answer = ask({.from = at(11), .to = at(50), .step = std::chrono::seconds(30)});
  ASSERT_TRUE(answer);
  EXPECT_THAT(times_in(*answer), ElementsAre(30, 60));
  EXPECT_THAT(answer->series[0].values, ElementsAre(25, 45));
}

TEST_F(AnswerHistory, NoPointIsInTheFuture) {
  const auto answer = answer_history(history_, {.step = std::chrono::seconds(10)}, at(57));
  ASSERT_TRUE(answer);
  EXPECT_THAT(times_in(*answer), ElementsAre(10, 20, 30, 40, 50, 57));
  EXPECT_THAT(answer->series[0].values, ElementsAre(10, 20, 30, 40, 50, 2)) << "the average so far";
  const auto beyond = answer_history(history_, {.from = at(54), .to = at(100)}, at(57));
  ASSERT_TRUE(beyond);
  EXPECT_THAT(times_in(*beyond), ElementsAre(54, 56));
}

TEST_F(AnswerHistory, NothingMeasuredIsAnEmptyAnswer) {
  EXPECT_THAT(ask({.from = at(1000)})->times, IsEmpty());
  history_.tiers = {{}, {}};
  EXPECT_THAT(ask({})->times, IsEmpty());
}

TEST_F(AnswerHistory, TooManyPointsAreRefused) {
  const auto refused = ask({.to = at(20'000), .step = std::chrono::seconds(1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::kBadRequest);
  EXPECT_THAT(refused.error().message, HasSubstr("step: must be at least 1s and give at most 11000 points, got 1s"));
  EXPECT_FALSE(ask({.step = std::chrono::seconds(0)}));
}

}  // namespace
}  // namespace muster::agent
