#include "json/utf8.h"

namespace muster::json {
namespace {

struct Form {
  std::size_t bytes;
  std::uint32_t lead_bits;
  std::uint32_t smallest;  // a smaller value would be an overlong form
};

Form form_of(unsigned char lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return {2, lead & 0x1fU, 0x80};
  if (lead >= 0xe0 && lead <= 0xef) return {3, lead & 0x0fU, 0x800};
  if (lead >= 0xf0 && lead <= 0xf4) return {4, lead & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const Form form = form_of(lead);
  if (form.bytes == 0 || text.size() < form.bytes) return {};
  std::uint32_t value = form.lead_bits;
  for (std::size_t i = 1; i < form.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    value = value << 6 | (byte & 0x3fU);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < form.smallest || value > 0x10ffff || surrogate) return {};
  return {value, form.bytes};
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const CodePoint c = decode_utf8(text.substr(i));
    if (c.bytes == 0) return i;
    i += c.bytes;
  }
  return std::string_view::npos;
}

}  // namespace muster::json
