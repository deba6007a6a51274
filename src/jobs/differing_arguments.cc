#include "jobs/differing_arguments.h"

#include <map>
#include <set>

#include "base/strings.h"
#include "jobs/kind.h"

namespace muster::jobs {
namespace {

bool is_flag(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

std::vector<std::string> arguments_in(const std::vector<std::string>& command) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool takes_next = is_flag(command[i]) && command[i].find('=') == std::string::npos &&
                            i + 1 < command.size() && !is_flag(command[i + 1]);
    out.push_back(takes_next ? command[i] + " " + command[i + 1] : command[i]);
    i += takes_next;
  }
  return out;
}

}  // namespace

std::vector<std::string> command_of(const json::Document& object) {
  const JobKind* kind = kind_of_job(object);
  if (kind == nullptr) return {};
  const auto job = kind->normalise(object, Where::kEngine);
  if (!job || job->roles.empty() || job->roles.front().pod_template.spec.containers.empty()) return {};
  const api::Container& container = job->roles.front().pod_template.spec.containers.front();
  std::vector<std::string> out = container.command;
  out.insert(out.end(), container.args.begin(), container.args.end());
  return out;
}

std::vector<std::string> differing_arguments(const std::vector<std::vector<std::string>>& commands) {
  std::vector<std::vector<std::string>> all;
  std::map<std::string, std::size_t> commands_with;
  for (const std::vector<std::string>& command : commands) {
    all.push_back(arguments_in(command));
    for (const std::string& argument : std::set(all.back().begin(), all.back().end())) ++commands_with[argument];
  }
  std::vector<std::string> out;
  for (const std::vector<std::string>& arguments : all) {
    std::vector<std::string> own;
    for (const std::string& argument : arguments) {
      if (commands_with[argument] < all.size()) own.push_back(argument);
    }
    out.push_back(join(own, " "));
  }
  return out;
}

}  // namespace muster::jobs
