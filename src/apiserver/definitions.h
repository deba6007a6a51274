// The CustomResourceDefinitions of the kinds that are served, as objects that clients can read and watch.
#pragma once

#include "apiserver/context.h"

namespace muster::apiserver {

/// Makes those that are missing, renews those that an older version wrote, removes those of kinds no longer served.
void write_definitions(Context& context);

}  // namespace muster::apiserver
