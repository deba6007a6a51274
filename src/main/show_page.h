// How the commands of the CLI show a page that a far server passes on.
#pragma once

#include "cli/connect/session.h"

namespace muster {

/// Prints a link to the page, opens it if there is a desktop, and serves the page until Ctrl-C.
int show_page(cli::Session& session, const cli::PageToShow& page);

}  // namespace muster
