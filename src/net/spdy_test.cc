#include "net/spdy.h"

#include <gmock/gmock.h>

#include "base/strings.h"

namespace muster::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = SpdyFrame::Kind;

struct SpdyPeer {
  SpdyReader reader;
  std::vector<std::string> seen;
  std::string fault;

  /// Reads the bytes in pieces of this size.
  void read(std::string_view bytes, std::size_t piece) {
    while (!bytes.empty() && fault.empty()) {
      const Status done = reader.put(bytes.substr(0, piece), [this](const SpdyFrame& frame) {
        take(frame);
        return true;
      });
      if (!done) fault = done.error().message;
      bytes.remove_prefix(std::min(piece, bytes.size()));
    }
  }
  void take(const SpdyFrame& frame) {
    std::string text = std::to_string(static_cast<int>(frame.kind)) + " " + std::to_string(frame.stream);
    for (const auto& [name, value] : frame.headers) text += " " + name + "=" + value;
    if (frame.status != 0) text += " status " + std::to_string(frame.status);
    text += " " + std::string(frame.bytes);
    seen.push_back(text + (frame.is_last ? "." : ""));
  }
};

std::string header_of(std::uint32_t word, std::uint32_t rest) {
  std::string out;
  for (const std::uint32_t value : {word, rest}) {
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xff);
  }
  return out;
}

TEST(Spdy, AReaderUnderstandsWhatAWriterMakesHoweverTheNetworkSplitsIt) {
  SpdyWriter writer;
  std::string sent = writer.open(1, {{"streamtype", "error"}, {"port", "80"}, {"requestid", "0"}}, true);
  sent += writer.open(3, {{"streamtype", "data"}, {"port", "80"}, {"requestid", "0"}}, false);
  sent += writer.reply(3);
  sent += SpdyWriter::data_head(3, 5, false) + "hello";
  sent += SpdyWriter::data_head(3, 0, true);
  sent += writer.reset(3, SpdyStatus::kCancel) + writer.ping(7);
  for (const std::size_t piece : {sent.size(), std::size_t{1}, std::size_t{5}}) {
    SpdyPeer peer;
    peer.read(sent, piece);
    EXPECT_EQ(peer.fault, "");
    std::string data;
    for (const std::string& one : peer.seen) {
      if (one.starts_with("3 3 ")) data += one.substr(4);
    }
    EXPECT_EQ(data, "hello.");
    EXPECT_EQ(peer.seen.at(0), "0 1 streamtype=error port=80 requestid=0 .");
    EXPECT_EQ(peer.seen.at(1), "0 3 streamtype=data port=80 requestid=0 ");
    EXPECT_EQ(peer.seen.at(2), "1 3 ");
    EXPECT_EQ(peer.seen.at(peer.seen.size() - 2), "2 3 status 5 ");
    EXPECT_EQ(peer.seen.back(), "4 7 ");
  }
}

TEST(Spdy, FramesOfOtherTypesAreSkipped) {
  SpdyPeer peer;
  peer.read(header_of(0x80030004, 4) + std::string(4, '\0') + header_of(0x80030009, 8) + std::string(8, '\0') +
                header_of(0x800300ff, 0) + SpdyWriter::data_head(1, 1, false) + "x",
            1000);
  EXPECT_EQ(peer.fault, "");
  EXPECT_THAT(peer.seen, ElementsAre("3 1 x"));
}

TEST(Spdy, ABrokenPeerIsToldWhy) {
  const auto fault_of = [](const std::string& bytes) {
    SpdyPeer peer;
    peer.read(bytes, 1000);
    return peer.fault;
  };
  EXPECT_EQ(fault_of(header_of(0x80020001, 0)), "SPDY: a frame of another version than 3");
  EXPECT_EQ(fault_of(header_of(0x80030001, 3) + "abc"), "SPDY: a frame is too short");
  EXPECT_EQ(fault_of(header_of(0x80030003, 0)), "SPDY: a frame is too short");
  EXPECT_EQ(fault_of(header_of(0x80030001, 14) + std::string(14, 'x')), "SPDY: headers that cannot be decompressed");
  EXPECT_EQ(fault_of(header_of(0x80030001, 10) + std::string(10, '\0')),
            "SPDY: headers of another length than they say");
  EXPECT_EQ(fault_of(header_of(0x80030001, SpdyReader::kMaxFrame + 1) + "a"), "SPDY: a frame is longer than 16 KiB");
  EXPECT_EQ(fault_of(header_of(0, 1) + "a"), "SPDY: data of stream 0");
}

TEST(Spdy, HeadersThatGrowEndTheConnection) {
  SpdyWriter writer;
  SpdyPeer peer;
  peer.read(writer.open(1, {{"a", std::string(SpdyReader::kMaxHeaders, 'x')}}, false), 1000);
  EXPECT_EQ(peer.fault, "SPDY: headers of more than 64 KiB");
}

}  // namespace
}  // namespace muster::net
