// The browser of a desktop.
#pragma once

#include <string>

namespace muster::cli {

/// Opens the link where there is a desktop; elsewhere the printed link has to do.
void open_in_browser(const std::string& url);

}  // namespace muster::cli
