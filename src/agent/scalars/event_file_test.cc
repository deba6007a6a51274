#include "agent/scalars/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace muster::agent {
namespace {

using node::ScalarPoint;

template <typename T>
std::string fixed(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}

std::string message(unsigned field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string event(std::int64_t step, double time, const std::string& summary) {
  return varint(1 << 3 | 1) + fixed(time) + varint(2 << 3) + varint(static_cast<std::uint64_t>(step)) +
         message(5, summary);
}

/// As PyTorch writes it.
std::string simple(const std::string& tag, float value) {
  return message(1, message(1, tag) + varint(2 << 3 | 5) + fixed(value));
}

/// As TensorFlow 2 writes it.
std::string tensor(const std::string& tag, float value) {
  const std::string proto = varint(1 << 3) + varint(1) + message(4, fixed(value));
  return message(1, message(1, tag) + message(8, proto));
}

std::string record(const std::string& data) {
  const std::string length = fixed<std::uint64_t>(data.size());
  return length + fixed(masked_crc32c(length)) + data + fixed(masked_crc32c(data));
}

TEST(EventFile, TheChecksumIsCrc32cWithAMask) {
  // CRC-32C of "123456789" is 0xE3069283; TFRecords rotate it right by 15 bits and add 0xA282EAD8.
  EXPECT_EQ(masked_crc32c("123456789"), 0xC78AB0E5U);
}

TEST(EventFile, ReadsSimpleValuesAndTensors) {
  SeriesByTag series;
  read_event_file(record(message(3, "brain.Event:2")) + record(event(1, 10.5, simple("loss", 2) + tensor("acc", 0.5))) +
                      record(event(2, 11.5, simple("loss", 1))),
                  series);
  EXPECT_EQ(series["loss"], (std::vector<ScalarPoint>{{1, 10.5, 2}, {2, 11.5, 1}}));
  EXPECT_EQ(series["acc"], (std::vector<ScalarPoint>{{1, 10.5, 0.5}}));
  EXPECT_EQ(series.size(), 2u);
}

TEST(EventFile, LeavesARecordThatIsBeingWritten) {
  const std::string whole = record(event(1, 1, simple("loss", 2))) + record(event(2, 2, simple("loss", 1)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SeriesByTag series;
    read_event_file(std::string_view(whole).substr(0, size), series);
    EXPECT_LE(series.empty() ? 0u : series["loss"].size(), 1u);
  }
}

TEST(EventFile, SkipsWhatIsDamaged) {
  std::string bytes = record(event(1, 1, simple("loss", 3)));
  bytes[bytes.size() - 6] ^= 1;
  SeriesByTag series;
  read_event_file(bytes + record(event(2, 2, simple("loss", 2))), series);
  EXPECT_EQ(series["loss"], (std::vector<ScalarPoint>{{2, 2, 2}}));
  std::string damaged = record(event(3, 3, simple("loss", 1)));
  damaged[0] ^= 1;
  read_event_file(damaged + record(event(4, 4, simple("loss", 0))), series);
  EXPECT_EQ(series["loss"], (std::vector<ScalarPoint>{{2, 2, 2}, {4, 4, 0}})) << "up to the next sound record";
}

TEST(EventFile, SaysWhereItIsDamaged) {
  const std::string one = record(event(1, 1, simple("loss", 3)));
  SeriesByTag series;
  EXPECT_EQ(read_event_file(one + one, series), EventFileDamage());
  EXPECT_EQ(read_event_file(one + std::string(20, '\xff') + one, series), (EventFileDamage{.first = one.size()}));
  std::string damaged = one;
  damaged.back() ^= 1;
  EXPECT_EQ(read_event_file(one + damaged + one, series), (EventFileDamage{.first = one.size()}));
  EXPECT_EQ(read_event_file(one + one.substr(0, 20), series), (EventFileDamage{.cut = one.size()}));
  EXPECT_EQ(read_event_file(one + one.substr(0, 3), series), (EventFileDamage{.cut = one.size()}));
  EXPECT_EQ(read_event_file(std::string(5 << 20, '\0'), series), (EventFileDamage{.first = 0, .given_up = 4 << 20}));
  EXPECT_EQ(read_event_file(one.substr(5) + one, series, FilePart::kEnd), EventFileDamage());
  EXPECT_EQ(read_event_file(one.substr(5) + damaged, series, FilePart::kEnd),
            (EventFileDamage{.first = one.size() - 5}));
}

TEST(EventFile, IsReadFromItsMiddle) {
  const std::string first = record(event(1, 1, simple("loss", 3)));
  const std::string bytes = first + record(event(2, 2, simple("loss", 2)));
  for (std::size_t from = 1; from <= first.size(); ++from) {
    SeriesByTag series;
    read_event_file(std::string_view(bytes).substr(from), series);
    EXPECT_EQ(series["loss"], (std::vector<ScalarPoint>{{2, 2, 2}})) << "from byte " << from;
  }
}

TEST(EventFile, OfOtherBytesIsGivenUp) {
  SeriesByTag series;
  read_event_file(std::string(5 << 20, '\0') + record(event(1, 1, simple("loss", 3))), series);
  EXPECT_TRUE(series.empty());
}

TEST(EventFile, ATrainingThatStartsAgainReplacesWhatItRepeats) {
  SeriesByTag series;
  for (int step = 0; step < 5; ++step) read_event_file(record(event(step, step, simple("loss", 9))), series);
  read_event_file(record(event(2, 10, simple("loss", 5))), series);
  EXPECT_EQ(series["loss"], (std::vector<ScalarPoint>{{0, 0, 9}, {1, 1, 9}, {2, 10, 5}}));
}

TEST(EventFile, TakesAnyBytes) {
  std::string bytes = record(event(1, 1, simple("loss", 3) + tensor("acc", 1)));
  for (std::size_t at = 12; at + 4 < bytes.size(); ++at) {
    std::string data = bytes.substr(12, bytes.size() - 16);
    data[at - 12] = static_cast<char>(0xff);
    SeriesByTag series;
    read_event_file(record(data) + record(event(7, 8, simple("next", 9))), series);
    EXPECT_EQ(series["next"], (std::vector<ScalarPoint>{{7, 8, 9}})) << "byte " << at;
    EXPECT_LE(series.size(), 3u) << "byte " << at;
    for (const auto& [tag, points] : series) EXPECT_EQ(points.size(), 1u) << tag;
  }
}

TEST(Thinned, KeepsTheEndsAndThePeak) {
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 10'000; ++i) points.push_back({i, 0, i == 7777 ? 100.0 : 1.0});
  const auto fewer = thinned(points, 100);
  EXPECT_EQ(fewer.size(), 100u);
  EXPECT_EQ(fewer.front(), points.front());
  EXPECT_EQ(fewer.back(), points.back());
  EXPECT_NE(std::find(fewer.begin(), fewer.end(), points[7777]), fewer.end());
  EXPECT_EQ(thinned(points, 20'000), points);
}

TEST(Thinned, TakesWhatIsNotANumber) {
  std::vector<ScalarPoint> points;
  for (int i = 0; i < 500; ++i) points.push_back({i, 0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(thinned(points, 50).size(), 50u);
}

}  // namespace
}  // namespace muster::agent
