// The kinds as TypeScript types, for programs in a browser.
#pragma once

#include <string>

namespace muster::api {

/// A whole file: one interface per type that a served resource reaches, in the order of their names.
std::string typescript();

}  // namespace muster::api
