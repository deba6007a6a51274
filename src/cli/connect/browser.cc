#include "cli/connect/browser.h"

#include "base/run_program.h"
#include "cli/connect/environment.h"

namespace muster::cli {

void open_in_browser(const std::string& url) {
  if (!read_environment().has_display) return;
  (void)run_program({.words = {"xdg-open", url}, .env = std::nullopt, .quiet = true});
}

}  // namespace muster::cli
