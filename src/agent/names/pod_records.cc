#include "agent/names/pod_records.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "api/owners.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "linux/files.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using json::Document;

// A job of a thousand replicas that restarts has this many pods soon; what is older is dropped.
constexpr std::size_t kMostRecords = 4000;
// Instead of a uid: a line that counts the pods of an owner that are forgotten.
constexpr std::string_view kRemoved = "-";

/// The name of an owner may hold any character.
std::string key_of(const node::OwnerName& owner) {
  return sha256_hex(owner.group + "/" + owner.kind + "/" + owner.name);
}

node::OwnerName owner_name(const std::string& ns, const Document& reference) {
  const std::string& version = reference.string_at("apiVersion");
  const std::size_t slash = version.find('/');
  return {.ns = ns,
          .group = slash == std::string::npos ? "" : version.substr(0, slash),
          .kind = reference.string_at("kind"),
          .name = reference.string_at("name")};
}

/// A line of an owner's list: a pod, or how many pods of the owner are forgotten.
struct Line {
  std::string uid;
  std::string owner;
  std::int64_t removed = 0;
};

std::vector<Line> read_lines(const std::string& path) {
  std::vector<Line> lines;
  const auto text = read_file(path);
  if (!text) return lines;
  for (const std::string& one : split(*text, '\n')) {
    const std::vector<std::string> words = split(one, ' ');
    if (words.size() == 2) lines.push_back({.uid = words[0], .owner = words[1]});
    if (words.size() == 3 && words[0] == kRemoved) {
      lines.push_back({.uid = {}, .owner = words[1], .removed = parse_int(words[2]).value_or(0)});
    }
  }
  return lines;
}

bool has_folder(const Paths& paths, const Line& line) {
  return ::access(paths.pod(line.uid).c_str(), F_OK) == 0;
}

/// Counts the lines that `is_gone` chooses instead of keeping them. Returns "" when no pod is left.
template <typename IsGone>
std::string without(const std::vector<Line>& lines, const IsGone& is_gone) {
  std::map<std::string, std::int64_t> removed;
  std::string kept;
  for (const Line& line : lines) {
    if (line.uid.empty()) {
      removed[line.owner] += line.removed;
    } else if (is_gone(line)) {
      ++removed[line.owner];
    } else {
      kept += fmt::format("{} {}\n", line.uid, line.owner);
    }
  }
  if (kept.empty()) return kept;
  std::string counts;
  for (const auto& [owner, count] : removed) counts += fmt::format("{} {} {}\n", kRemoved, owner, count);
  return counts + kept;
}

Status forget_older_half(const std::string& path) {
  const std::vector<Line> lines = read_lines(path);
  if (lines.size() <= kMostRecords) return ok();
  const Line* middle = &lines[lines.size() / 2];
  return write_file_atomically(path, without(lines, [&](const Line& line) { return &line < middle; }), 0600);
}

void copy_member(const Document& from, Document& to, const char* name) {
  if (const Document* member = from.find(name)) to[name] = *member;
}

Document container_record(const Document& container) {
  Document kept = json::Object{};
  for (const char* name : {"name", "image", "resources", "ports"}) copy_member(container, kept, name);
  return kept;
}

Document container_records(const Document& spec, const char* list) {
  json::Array kept;
  for (const Document& container : spec.array_at(list)) kept.push_back(container_record(container));
  return kept;
}

/// Readers on other threads see the old record or the new one. Nothing is synced: a power failure may cost the last.
Status write_record(const Paths& paths, const Document& pod) {
  const std::string path = paths.record(pod.string_at("metadata", "uid"));
  const std::string next = path + ".new";
  TRY(linux_os::overwrite_file(next, json::serialize(pod_record(pod)), 0600));
  if (::rename(next.c_str(), path.c_str()) != 0) return errno_error("rename " + quote(next), errno);
  return ok();
}

bool has_entries(const std::string& folder) {
  std::error_code none;
  const fs::directory_iterator entries(folder, none);
  return !none && entries != fs::directory_iterator();
}

}  // namespace

Document pod_record(const Document& pod) {
  Document kept = json::Object{{"apiVersion", "v1"}, {"kind", "Pod"}};
  if (const Document* metadata = pod.find("metadata")) {
    Document& own = kept["metadata"] = json::Object{};
    for (const char* name :
         {"name", "namespace", "uid", "labels", "ownerReferences", "creationTimestamp", "deletionTimestamp"})
      copy_member(*metadata, own, name);
    constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";
    if (const std::string& named = metadata->string_at("annotations", kDefaultContainer); !named.empty())
      own["annotations"] = json::Object{{kDefaultContainer, named}};
  }
  if (const Document* spec = pod.find("spec")) {
    Document& own = kept["spec"] = json::Object{{"containers", container_records(*spec, "containers")}};
    copy_member(*spec, own, "nodeName");
    if (!spec->array_at("initContainers").empty()) own["initContainers"] = container_records(*spec, "initContainers");
  }
  copy_member(pod, kept, "status");
  return kept;
}

Status remember_pod(const Paths& paths, const Document& pod) {
  const Document* owner = api::controller_of(pod);
  if (owner == nullptr) return ok();
  const std::string& uid = pod.string_at("metadata", "uid");
  TRY(make_directories(paths.pod(uid), 0700));
  TRY(write_record(paths, pod));
  const std::string& ns = pod.string_at("metadata", "namespace");
  const std::string list = paths.owner(ns, key_of(owner_name(ns, *owner)));
  TRY(make_directories(fs::path(list).parent_path().string(), 0700));
  const auto is_this = [&](const Line& line) { return line.uid == uid; };
  if (std::ranges::any_of(read_lines(list), is_this)) return ok();  // the engine was restarted before the pod started
  TRY(forget_older_half(list));
  return linux_os::append_line(list, fmt::format("{} {}", uid, owner->string_at("uid")), 0600);
}

Status update_record(const Paths& paths, const Document& pod) {
  const bool is_known = ::access(paths.record(pod.string_at("metadata", "uid")).c_str(), F_OK) == 0;
  return is_known ? write_record(paths, pod) : ok();
}

node::PastPods remembered_pods(const Paths& paths, const node::OwnerName& owner) {
  node::PastPods found;
  for (const Line& line : read_lines(paths.owner(owner.ns, key_of(owner)))) {
    if (line.uid.empty()) {
      found.removed[line.owner] += line.removed;
      continue;
    }
    const auto text = read_file(paths.record(line.uid));
    auto pod = text ? json::parse(*text) : Result<Document>(text.error());
    if (!pod) {
      ++found.removed[line.owner];
      continue;
    }
    found.pods.push_back({.pod = *std::move(pod),
                          .has_log = has_entries(paths.logs(line.uid)),
                          .has_metrics = ::access(paths.metrics(line.uid).c_str(), F_OK) == 0});
  }
  return found;
}

std::vector<std::string> outdated_records(const Paths& paths, const std::set<std::string>& going) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& ns : fs::directory_iterator(paths.names_folder(), none)) {
    std::error_code none_inside;
    for (const auto& entry : fs::directory_iterator(paths.owners(ns.path().filename().string()), none_inside)) {
      const std::vector<Line> lines = read_lines(entry.path().string());
      const auto is_gone = [&](const Line& line) {
        return !line.uid.empty() && (going.contains(line.uid) || !has_folder(paths, line));
      };
      if (std::ranges::any_of(lines, is_gone)) out.push_back(entry.path().string());
    }
  }
  return out;
}

Status forget_gone_records(const Paths& paths, const std::string& list) {
  const std::string left = without(read_lines(list), [&](const Line& line) { return !has_folder(paths, line); });
  if (!left.empty()) return linux_os::overwrite_file(list, left, 0600);
  if (::unlink(list.c_str()) != 0 && errno != ENOENT) return errno_error("remove " + quote(list), errno);
  return ok();
}

}  // namespace muster::agent
