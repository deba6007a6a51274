// Reads scalars from the event files of TensorBoard: TFRecords with a protobuf Event each, appended during the
// training. Both forms are read, PyTorch's simple values and TensorFlow 2's tensors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/scalars.h"

namespace muster::agent {

/// The series of one run, by tag.
using SeriesByTag = std::map<std::string, std::vector<node::ScalarPoint>, std::less<>>;

/// What of an event file could not be read. Places are numbers of bytes.
struct EventFileDamage {
  std::optional<std::size_t> first = {};     // where the first damaged record is
  std::optional<std::size_t> given_up = {};  // nothing is read from here on
  std::optional<std::size_t> cut = {};       // where a last record that is not whole begins
  bool operator==(const EventFileDamage&) const = default;
};

enum class FilePart { kWhole, kEnd };

/// Adds the scalars of one event file, or of its end, to those of the files before it. A last record that is not whole
/// yet is left out, because the training may be writing it; what is damaged is skipped up to the next sound record, and
/// a file in which none comes for long is given up. When a training starts again from an earlier step, the points that
/// it repeats replace the old ones. The end of a file may begin within a record, which is not damage.
EventFileDamage read_event_file(std::string_view bytes, SeriesByTag& to, FilePart part = FilePart::kWhole);

/// Returns at most `most` points that draw the same curve: for each part of it the point that stands out, and always
/// the first and the last one.
std::vector<node::ScalarPoint> thinned(const std::vector<node::ScalarPoint>& points, std::size_t most);

/// Returns the checksum that TFRecords carry. Tests use it to write event files.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace muster::agent
