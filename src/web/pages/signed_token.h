// Tokens that show by themselves what they are for and until when: none has to be stored, and they survive a restart.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace muster::web {

/// Returns "EXPIRES.SIGNATURE", which `is_signed` accepts for the same purpose until then.
std::string sign_until(const std::string& key, std::string_view purpose, Time expires);
/// Nothing is accepted while there is no key.
bool is_signed(const std::string& key, std::string_view purpose, std::string_view token, Time now);

}  // namespace muster::web
