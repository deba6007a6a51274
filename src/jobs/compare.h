// What two runs have in common and in what they differ: what their authors asked for, and what came out. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "json/document.h"

namespace muster::jobs {

/// One line of a comparison of one job.
struct Trait {
  std::string name;  // "state", "--lr", "env SEED", "train/loss, lowest"
  std::string value;
};

/// Returns state, duration, replicas, program, arguments, environment, image and resources. CHECKs that it is a job.
std::vector<Trait> traits_of(const json::Document& job, Time now);
/// Returns the last and the best value of each curve, as the route about scalars sends them.
std::vector<Trait> metric_traits(const json::Document& scalars);

/// One line of a comparison of several jobs; "" where a job has no such trait.
struct ComparedTrait {
  std::string name;
  std::vector<std::string> values;
  bool differs() const;
};
/// In the order in which the jobs have them.
std::vector<ComparedTrait> compare(const std::vector<std::vector<Trait>>& jobs);

}  // namespace muster::jobs
