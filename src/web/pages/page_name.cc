#include "web/pages/page_name.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/pages.h"
#include "apiserver/http/request.h"
#include "control/notebook/notebook.h"
#include "control/tensorboard/tensorboard.h"

namespace muster::web {

const std::vector<PageKind>& page_kinds() {
  static const std::vector<PageKind> kinds = {{.first_segment = api::kTensorBoardPages,
                                               .kind = "TensorBoard",
                                               .plural = "tensorboards",
                                               .program = "TensorBoard",
                                               .command = "tensorboard",
                                               .uid_label = api::kTensorBoardUidLabel,
                                               .port = control::kTensorBoardPort,
                                               .streams_bodies = false,
                                               .path = &control::tensorboard_path},
                                              {.first_segment = "notebook",
                                               .kind = "Notebook",
                                               .plural = "notebooks",
                                               .program = "JupyterLab",
                                               .command = "notebook",
                                               .uid_label = api::kNotebookUidLabel,
                                               .port = control::kNotebookPort,
                                               .streams_bodies = true,
                                               .path = &control::notebook_path}};
  return kinds;
}

const PageKind& tensorboard_pages() {
  return page_kinds()[0];
}

const PageKind& notebook_pages() {
  return page_kinds()[1];
}

std::optional<PageName> page_of(std::string_view target) {
  const auto parsed = apiserver::parse_target(target);
  if (!parsed || parsed->path.size() < 3) return std::nullopt;
  const auto kind = std::ranges::find(page_kinds(), parsed->path[0], &PageKind::first_segment);
  if (kind == page_kinds().end()) return std::nullopt;
  const std::string& ns = parsed->path[1];
  const std::string& name = parsed->path[2];
  return PageName{.kind = &*kind, .ns = ns, .name = name, .path = kind->path(ns, name)};
}

std::string link_command(const PageName& page) {
  constexpr std::string_view kOfArena = "-tensorboard";
  if (page.kind != &tensorboard_pages() || !page.name.ends_with(kOfArena)) {
    return fmt::format("muster {} {} -n {}", page.kind->command, page.name, page.ns);
  }
  return fmt::format("arena tensorboard {} -n {}", page.name.substr(0, page.name.size() - kOfArena.size()), page.ns);
}

}  // namespace muster::web
