#include "base/random.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace muster {

std::uint64_t SystemRng::next() {
  if (left_ == 0) {
    ssize_t got = -1;
    do {
      got = ::getrandom(drawn_.data(), sizeof drawn_, 0);
    } while (got < 0 && errno == EINTR);
    // Once the kernel's pool is ready, a request for up to 256 bytes is never cut short; until then the call blocks.
    static_assert(sizeof drawn_ <= 256);
    CHECK(got == static_cast<ssize_t>(sizeof drawn_));
    left_ = drawn_.size();
  }
  return std::exchange(drawn_[--left_], 0);  // tokens are made from these: no copy stays behind
}

std::string make_uuid(Rng& rng) {
  const std::uint64_t high = (rng.next() & ~0xf000ULL) | 0x4000ULL;       // version 4: random
  const std::uint64_t low = (rng.next() & ~(3ULL << 62)) | (2ULL << 62);  // variant of RFC 4122
  return fmt::format(FMT_COMPILE("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}"), high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffffULL);
}

std::string make_name_suffix(Rng& rng) {
  // The alphabet has no vowels and no characters that look like vowels, so that no suffix spells a word.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[rng.next() % kAlphabet.size()];
  return suffix;
}

std::string make_token(Rng& rng) {
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:016x}", rng.next());
  return token;
}

}  // namespace muster
