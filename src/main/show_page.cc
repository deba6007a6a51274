#include "main/show_page.h"

#include "base/random.h"
#include "cli/connect/browser.h"
#include "web/pages/local_page.h"

namespace muster {

int show_page(cli::Session& session, const cli::PageToShow& page) {
  SystemRng rng;
  web::LocalPage local(*session.event_loop(), rng, session.api().transport(), page.path);
  if (const Status listening = local.listen(page.port); !listening) return session.fail(listening.error());
  const std::string link = local.make_link();
  session.out(link + "\n");
  session.err("serving the page; Ctrl-C stops it\n");
  if (page.open && session.terminal().out_is_terminal) cli::open_in_browser(link);
  session.wait_until([] { return false; });
  return cli::kExitOk;
}

}  // namespace muster
