// How far a training is, as its output says: the lines of tqdm, Lightning, Transformers' Trainer, Keras and the common
// tutorials. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::jobs {

struct Progress {
  std::optional<double> epoch;
  std::optional<double> epochs;  // of how many
  std::optional<double> step;
  std::optional<double> steps;
  std::optional<double> loss;      // of the training if it is known, else of an evaluation; may be NaN
  std::optional<double> accuracy;  // of an evaluation if it is known
  bool operator==(const Progress&) const = default;
  bool empty() const { return *this == Progress(); }
};

/// Returns what one line says; empty for a line that says nothing of it.
Progress progress_in(std::string_view line);
/// Returns what the last lines of a log say: of each number the last one.
Progress progress_of_log(std::string_view lines);

/// The last value that a training has logged for TensorBoard under a tag.
struct LastScalar {
  std::string tag;
  std::int64_t step = 0;
  double value = 0;
};
Progress progress_of_scalars(const std::vector<LastScalar>& scalars);
/// Returns what the first says and, of what it does not say, what the second says.
Progress joined(Progress first, const Progress& second);

/// "epoch 3/10, loss 0.312", or the step where no epoch is known; "" when nothing is.
std::string progress_text(const Progress& progress);
/// "loss 0.312, accuracy 0.97"; "" when neither is known.
std::string results_text(const Progress& progress);

json::Document encode(const Progress& progress);
Progress decode_progress(const json::Document& document);

}  // namespace muster::jobs
