#include "agent/scalars/event_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/protobuf_wire.h"

namespace muster::agent {
namespace {

using node::ScalarPoint;

// Of a record. An image or a graph may be large; anything beyond this is a damaged length.
constexpr std::uint64_t kLargestRecord = 64 << 20;
constexpr std::size_t kHeader = 12;  // the length and its checksum
// So many bytes of a file may be damaged.
constexpr std::size_t kMostDamaged = 4 << 20;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = value;
  }
  return table;
}
constexpr auto kCrcTable = make_crc_table();

/// Reads a little-endian value; `bytes` has at least its size.
template <typename T>
T read_fixed(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

/// Returns the next field, or none at the end. A malformed message ends early.
std::optional<WireField> next_field(WireReader& reader) {
  if (reader.at_end()) return std::nullopt;
  const auto field = reader.next();
  return field ? std::optional(*field) : std::nullopt;
}

/// TensorProto: a tensor without dimensions is a scalar.
std::optional<double> scalar_of_tensor(std::string_view tensor) {
  constexpr std::uint64_t kFloat = 1;
  constexpr std::uint64_t kDouble = 2;
  std::uint64_t type = 0;
  std::string_view content;
  std::optional<double> value;
  for (WireReader fields(tensor); const auto field = next_field(fields);) {
    if (field->number == 1) type = field->varint;
    if (field->number == 4) content = field->bytes;
    if (field->number == 5 && field->bytes.size() == 4) value = read_fixed<float>(field->bytes);
    if (field->number == 6 && field->bytes.size() == 8) value = read_fixed<double>(field->bytes);
  }
  if (value) return value;
  if (type == kFloat && content.size() == 4) return read_fixed<float>(content);
  if (type == kDouble && content.size() == 8) return read_fixed<double>(content);
  return std::nullopt;
}

struct TaggedValue {
  std::string_view tag;
  std::optional<double> value;
};

/// Summary.Value
TaggedValue read_value(std::string_view message) {
  TaggedValue out;
  for (WireReader fields(message); const auto field = next_field(fields);) {
    if (field->number == 1) out.tag = field->bytes;
    if (field->number == 2 && field->bytes.size() == 4) out.value = read_fixed<float>(field->bytes);
    if (field->number == 8) out.value = scalar_of_tensor(field->bytes);
  }
  return out;
}

void add_point(std::vector<ScalarPoint>& points, const ScalarPoint& point) {
  while (!points.empty() && points.back().step >= point.step) points.pop_back();
  points.push_back(point);
}

/// SessionLog with the status START: the training has started again at this step.
bool is_start(std::string_view session_log) {
  for (WireReader fields(session_log); const auto field = next_field(fields);) {
    if (field->number == 1) return field->varint == 1;
  }
  return false;
}

bool begins_record(std::string_view bytes) {
  return read_fixed<std::uint64_t>(bytes) <= kLargestRecord &&
         read_fixed<std::uint32_t>(bytes.substr(8)) == masked_crc32c(bytes.substr(0, 8));
}

void drop_from(std::int64_t step, SeriesByTag& series) {
  for (auto& [tag, points] : series) {
    while (!points.empty() && points.back().step >= step) points.pop_back();
  }
}

void read_event(std::string_view event, SeriesByTag& to) {
  ScalarPoint point;
  std::string_view summary;
  bool starts = false;
  for (WireReader fields(event); const auto field = next_field(fields);) {
    if (field->number == 1 && field->bytes.size() == 8) point.time = read_fixed<double>(field->bytes);
    if (field->number == 2) point.step = static_cast<std::int64_t>(field->varint);
    if (field->number == 5) summary = field->bytes;
    if (field->number == 7) starts = is_start(field->bytes);
  }
  if (starts) drop_from(point.step, to);
  for (WireReader values(summary); const auto field = next_field(values);) {
    if (field->number != 1) continue;
    const TaggedValue value = read_value(field->bytes);
    if (!value.value || value.tag.empty()) continue;
    point.value = *value.value;
    auto series = to.find(value.tag);
    if (series == to.end()) series = to.emplace(value.tag, std::vector<ScalarPoint>()).first;
    add_point(series->second, point);
  }
}

/// Returns twice the area of the triangle; a point without a number spans none.
double area(const ScalarPoint& a, const ScalarPoint& b, double step, double value) {
  const double twice = (static_cast<double>(a.step) - step) * (b.value - a.value) -
                       static_cast<double>(a.step - b.step) * (value - a.value);
  return std::isfinite(twice) ? std::abs(twice) : 0;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

EventFileDamage read_event_file(std::string_view bytes, SeriesByTag& to, FilePart part) {
  EventFileDamage damage;
  std::size_t at = 0;
  std::size_t skipped = 0;
  bool is_known = part == FilePart::kWhole;  // that a record begins here
  const auto note = [&] {
    if (is_known && !damage.first) damage.first = at;
  };
  for (; bytes.size() - at >= kHeader;) {
    const std::string_view rest = bytes.substr(at);
    if (!begins_record(rest)) {
      note();
      if (++skipped > kMostDamaged) {
        damage.given_up = at;
        return damage;
      }
      ++at;
      continue;
    }
    is_known = true;
    const auto length = read_fixed<std::uint64_t>(rest);
    if (rest.size() < kHeader + length + 4) break;
    const std::string_view event = rest.substr(kHeader, length);
    const bool intact = read_fixed<std::uint32_t>(rest.substr(kHeader + length)) == masked_crc32c(event);
    intact ? read_event(event, to) : note();
    at += kHeader + length + 4;
  }
  if (at < bytes.size()) damage.cut = at;
  return damage;
}

std::vector<ScalarPoint> thinned(const std::vector<ScalarPoint>& points, std::size_t most) {
  if (points.size() <= most || most < 3) return points;
  // Largest triangle, three buckets: of each bucket the point that, with the point chosen before it and the average of
  // the next bucket, spans the largest triangle.
  std::vector<ScalarPoint> out{points.front()};
  const double width = static_cast<double>(points.size() - 2) / static_cast<double>(most - 2);
  const auto border = [&](std::size_t bucket) {
    return std::min(points.size() - 1, static_cast<std::size_t>(static_cast<double>(bucket) * width) + 1);
  };
  for (std::size_t bucket = 0; bucket + 2 < most; ++bucket) {
    const std::size_t next_end = std::max(border(bucket + 2), border(bucket + 1) + 1);
    double step = 0;
    double value = 0;
    for (std::size_t i = border(bucket + 1); i < next_end; ++i) {
      step += static_cast<double>(points[i].step);
      value += points[i].value;
    }
    const auto count = static_cast<double>(next_end - border(bucket + 1));
    std::size_t best = border(bucket);
    double largest = -1;
    for (std::size_t i = border(bucket); i < border(bucket + 1); ++i) {
      const double here = area(out.back(), points[i], step / count, value / count);
      if (here > largest) {
        largest = here;
        best = i;
      }
    }
    out.push_back(points[best]);
  }
  out.push_back(points.back());
  return out;
}

}  // namespace muster::agent
