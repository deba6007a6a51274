// The kinds as TypeScript types, for code that runs in a browser.
#pragma once

#include <string>

namespace muster::api {

/// A whole file: one interface per type that a served resource reaches, sorted by name.
std::string typescript();

}  // namespace muster::api
