#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/unique_function.h"

namespace muster {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{.reason = Reason::kInvalid, .message = "must be even"};
  return n / 2;
}

Result<int> quarter(int n) {
  TRY_ASSIGN(const int h, half(n));
  TRY_ASSIGN(const int q, half(h));
  return q;
}

Status must_halve(int n) {
  TRY(half(n));
  return ok();
}

TEST(ResultTest, CarriesTheValueOrTheError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "must be even");
  EXPECT_TRUE(must_halve(2).has_value());
  EXPECT_EQ(must_halve(3).error().reason, Reason::kInvalid);
  EXPECT_EQ(half(3).value_or(9), 9);
}

TEST(ResultDeathTest, ReadingTheWrongSideIsABrokenInvariant) {
  EXPECT_DEATH(static_cast<void>(*half(3)), "broken invariant: state.index\\(\\) == 0");
  EXPECT_DEATH(static_cast<void>(half(2).error()), "broken invariant: state.index\\(\\) == 1");
}

TEST(UniqueFunctionTest, OwnsWhatCannotBeCopied) {
  UniqueFunction<int(int)> add = [n = std::make_unique<int>(3)](int m) { return *n + m; };
  UniqueFunction<int(int)> moved = std::move(add);
  EXPECT_TRUE(static_cast<bool>(moved));
  EXPECT_EQ(moved(4), 7);
  EXPECT_FALSE(static_cast<bool>(UniqueFunction<void()>()));
}

}  // namespace
}  // namespace muster
