// `muster up`, `down`, `status`: the engine in the background.
#pragma once

#include <memory>

#include "main/engine_table.h"

namespace muster {

std::unique_ptr<EngineCommand> make_up();
std::unique_ptr<EngineCommand> make_down();
std::unique_ptr<EngineCommand> make_status();

}  // namespace muster
