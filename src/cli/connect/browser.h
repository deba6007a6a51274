// The browser of a desktop.
#pragma once

#include <string>

namespace muster::cli {

/// Opens the link if there is a desktop; otherwise the printed link must do.
void open_in_browser(const std::string& url);

}  // namespace muster::cli
