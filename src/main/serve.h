// `muster serve`: the engine in the foreground. The one place that knows every module and wires them.
#pragma once

#include <memory>

#include "main/engine_table.h"

namespace muster {

std::unique_ptr<EngineCommand> make_serve();

}  // namespace muster
