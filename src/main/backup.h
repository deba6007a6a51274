// `muster backup` and `muster restore`: the database as one file, and back.
#pragma once

#include <memory>

#include "main/engine_table.h"

namespace muster {

std::unique_ptr<EngineCommand> make_backup();
std::unique_ptr<EngineCommand> make_restore();

}  // namespace muster
