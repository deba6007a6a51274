#include "store/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace muster::store {
namespace {

static_assert(std::endian::native == std::endian::little, "the checksums on disk are those of little-endian machines");

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

template <typename T>
std::uint64_t read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ round(0, lane)) * kPrime1 + kPrime4;
}

/// Computes the first part of the hash, over whole blocks of 32 bytes, and moves `at` past them.
std::uint64_t hash_blocks(const char*& at, const char* end, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes = {seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1};
  for (; end - at >= 32; at += 32) {
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = round(lanes[i], read<std::uint64_t>(at + 8 * i));
  }
  std::uint64_t hash =
      std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  for (const auto lane : lanes) hash = merge(hash, lane);
  return hash;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t hash = bytes.size() >= 32 ? hash_blocks(at, end, seed) : seed + kPrime5;
  hash += bytes.size();
  for (; end - at >= 8; at += 8) {
    hash = std::rotl(hash ^ round(0, read<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (end - at >= 4) {
    hash = std::rotl(hash ^ (read<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at != end; ++at) hash = std::rotl(hash ^ (read<std::uint8_t>(at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::uint64_t row_checksum(std::int64_t row, const Key& key, Revision revision, std::string_view bytes) {
  const std::array<std::uint64_t, 6> head = {
      static_cast<std::uint64_t>(row), revision, key.resource.size(), key.ns.size(), key.name.size(), bytes.size()};
  std::uint64_t hash = checksum({reinterpret_cast<const char*>(head.data()), sizeof head});
  hash = checksum(key.resource, hash);
  hash = checksum(key.ns, hash);
  hash = checksum(key.name, hash);
  return checksum(bytes, hash);
}

}  // namespace muster::store
