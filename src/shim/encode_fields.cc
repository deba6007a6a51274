#include "shim/encode_fields.h"

#include <cstdint>

namespace muster::shim {

void put_fields(std::string& out, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    const auto size = static_cast<std::uint32_t>(field.size());
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(size >> shift & 0xff));
    out.append(field);
    out.push_back('\0');
  }
}

std::vector<std::string_view> split_fields(std::string_view bytes) {
  std::vector<std::string_view> fields;
  while (bytes.size() >= 5) {
    std::uint32_t size = 0;
    for (int i = 0; i < 4; ++i) size |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    if (size > bytes.size() - 5) break;
    fields.push_back(bytes.substr(4, size));
    bytes.remove_prefix(std::size_t{size} + 5);
  }
  return fields;
}

}  // namespace muster::shim
