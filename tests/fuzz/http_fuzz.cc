// Any bytes as an HTTP request: however the network splits them, all readings yield the same request or reject it.
#include "fuzz.h"
#include "net/request_reader.h"

namespace {

using muster::net::RequestReader;
using muster::net::ServerLimits;

struct Read {
  bool refused = false;
  bool done = false;
  std::string text;  // the request as understood
};

std::string text_of(const RequestReader& reader) {
  std::string out = reader.request.method + " " + reader.request.target + "\n";
  for (const auto& [name, value] : reader.request.headers) out += name + ": " + value + "\n";
  return out + "\n" + reader.request.body;
}

/// Feeds the reader like the server's connection: what it leaves is offered again with the next bytes.
Read read_in_pieces(std::string_view bytes, std::size_t piece) {
  const ServerLimits limits{.head_bytes = 2048, .head_fields = 32, .body_bytes = 4096};
  RequestReader reader(limits);
  Read out;
  std::string in;
  while (!bytes.empty() && !reader.is_done()) {
    const std::size_t n = std::min(piece, bytes.size());
    in += bytes.substr(0, n);
    bytes.remove_prefix(n);
    while (!in.empty() && !reader.is_done()) {
      const auto [used, outcome] = reader.put(in);
      in.erase(0, used);
      const bool starved = outcome == RequestReader::Outcome::kNeedsMore && in.size() < limits.head_bytes;
      if (outcome != RequestReader::Outcome::kFine && !starved) {
        out.refused = true;
        return out;
      }
      if (starved) break;
    }
  }
  CHECK(reader.request.body.size() <= limits.body_bytes);
  out.done = reader.is_done();
  if (out.done) out.text = text_of(reader);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  const Read whole = read_in_pieces(text, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
    const Read pieces = read_in_pieces(text, piece);
    // One way may notice a head beyond the limit earlier than the other, but two different requests are never allowed.
    if (whole.done && pieces.done) CHECK(whole.text == pieces.text);
    if (whole.done && size < 2048) CHECK(pieces.done);
    if (pieces.done && size < 2048) CHECK(whole.done);
  }
  return 0;
}
