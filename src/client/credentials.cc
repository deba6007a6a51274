#include "client/credentials.h"

#include "base/log.h"
#include "base/strings.h"

namespace muster::client {
namespace {

constexpr Duration kReadEvery = std::chrono::minutes(1);

}  // namespace

TokenFile::TokenFile(std::string path, Credential known, ReadFile read_file, const Clock& clock)
    : path_(std::move(path)), known_(std::move(known)), read_file_(std::move(read_file)), read_at_(clock.mono()) {}

Result<Credential> TokenFile::get(const Clock& clock) {
  if (clock.mono() - read_at_ >= kReadEvery) read(clock);
  return known_;
}

Result<bool> TokenFile::renew(const Credential& refused, const Clock& clock) {
  if (known_ == refused) read(clock);
  return !(known_ == refused);
}

void TokenFile::read(const Clock& clock) {
  read_at_ = clock.mono();
  const auto text = read_file_(path_);
  if (text.has_value() && !trim(*text).empty()) {
    known_.token = trim(*text);
  } else {
    LOG_WARN("cannot read the token file again, using the token it had", {"file", path_},
             {"error", text.has_value() ? "it is empty" : text.error().message});
  }
}

}  // namespace muster::client
