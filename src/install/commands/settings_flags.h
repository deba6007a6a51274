// The flags that stand for install::Settings; the namespace is the one of every command.
#pragma once

#include <cstdint>

#include "cli/flags/flags.h"
#include "install/objects/settings.h"

namespace muster::install {

/// Both variables must outlive the flags.
void add_settings_flags(cli::Flags& flags, Settings& settings, std::int64_t& replicas);

}  // namespace muster::install
