// Reads scalars from the event files of TensorBoard: TFRecords with a protobuf Event each, appended during the
// training. Both forms are read, PyTorch's simple values and TensorFlow 2's tensors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "node/scalars.h"

namespace muster::agent {

/// The series of one run, by tag.
using SeriesByTag = std::map<std::string, std::vector<node::ScalarPoint>, std::less<>>;

/// Adds the scalars of one event file, or of its end, to those of the files before it. A last record that is not whole
/// yet is left out, because the training may be writing it; what is damaged is skipped up to the next sound record, and
/// a file in which none comes for long is given up. When a training starts again from an earlier step, the points that
/// it repeats replace the old ones.
void read_event_file(std::string_view bytes, SeriesByTag& to);

/// Returns at most `most` points that draw the same curve: for each part of it the point that stands out, and always
/// the first and the last one.
std::vector<node::ScalarPoint> thinned(const std::vector<node::ScalarPoint>& points, std::size_t most);

/// Returns the checksum that TFRecords carry. Tests use it to write event files.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace muster::agent
