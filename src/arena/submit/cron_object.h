// `arena cron TYPE`: a job on a schedule instead of one job. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arena/flags/flags.h"
#include "arena/submit/objects.h"

namespace muster::arena {

inline constexpr std::string_view kCronGroup = "apps.kubedl.io";
inline constexpr std::string_view kCronVersion = "v1alpha1";

struct CronFlags {
  std::string schedule;
  std::string concurrency_policy = "Allow";
  bool suspend = false;
  std::string deadline;
  std::int64_t history_limit = 10;

  void add_flags(Flags& flags);
  /// Returns what is wrong with the values.
  std::optional<cli::Failure> check() const;
};

/// Puts the job into a Cron of the same name. The parts belong to the Cron, so that every job of it finds them; there
/// is no record, because deleting the Cron deletes them all.
Submission on_schedule(Submission job, const CronFlags& flags);

}  // namespace muster::arena
