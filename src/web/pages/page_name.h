// The pages of the content port by name: /tb/NAMESPACE/NAME/ and /notebook/NAMESPACE/NAME/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::web {

/// A kind of object whose page a program in a pod serves under a prefix that it knows.
struct PageKind {
  const char* first_segment;  // of its paths
  const char* kind;           // in tensorstack.dev/v1beta1
  const char* plural;
  const char* program;  // its name for people
  const char* command;  // of `muster`, makes a link
  const char* uid_label;
  int port = 0;
  bool streams_bodies = false;  // uploads may be large; otherwise they are read whole, up to the server's limit
  std::string (*path)(const std::string& ns, const std::string& name);
};
const std::vector<PageKind>& page_kinds();
const PageKind& tensorboard_pages();
const PageKind& notebook_pages();

/// The page that a target is part of.
struct PageName {
  const PageKind* kind;
  std::string ns;
  std::string name;
  std::string path;  // "/tb/NAMESPACE/NAME/"
};
/// Returns nullopt for a target outside of all pages. A page without its last slash is part of the page.
std::optional<PageName> page_of(std::string_view target);

/// Returns the command that makes a link to the page. A stranger sees it, so it depends on the name alone.
std::string link_command(const PageName& page);

}  // namespace muster::web
