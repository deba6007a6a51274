// Publishes the CustomResourceDefinitions of the served kinds as objects that clients can read and watch.
#pragma once

#include "apiserver/context/context.h"

namespace muster::apiserver {

/// Creates missing definitions, updates those that an older version wrote, removes those of kinds no longer served.
void write_definitions(Context& context);

}  // namespace muster::apiserver
