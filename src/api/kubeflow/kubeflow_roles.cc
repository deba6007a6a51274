#include "api/kubeflow/kubeflow_roles.h"

#include <algorithm>

namespace muster::api {

const std::string* role_meant(std::string_view key, const std::vector<std::string>& roles) {
  const std::string lower = to_lower(key);
  const auto found = std::ranges::find_if(roles, [&](const std::string& role) { return to_lower(role) == lower; });
  return found == roles.end() ? nullptr : &*found;
}

const json::Document* find_role(const json::Document* roles, std::string_view role) {
  if (roles == nullptr || !roles->is_object()) return nullptr;
  const std::string wanted = to_lower(role);
  for (const json::Member& member : roles->as_object()) {
    if (to_lower(member.key) == wanted) return &member.value;
  }
  return nullptr;
}

std::string cel_spellings(const std::string& role) {
  std::string upper = role;
  for (char& c : upper) c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::vector<std::string> quoted;
  for (const std::string& spelling : {role, to_lower(role), upper}) {
    const std::string text = "'" + spelling + "'";
    if (std::ranges::find(quoted, text) == quoted.end()) quoted.push_back(text);
  }
  return "[" + join(quoted, ", ") + "]";
}

}  // namespace muster::api
