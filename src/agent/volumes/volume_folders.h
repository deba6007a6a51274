// The folders of a pod's volumes: those of its claims, those of the host that it names, and its emptyDir volumes on
// disk, which go with it.
#pragma once

#include <string>

#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "agent/launch/isolator.h"
#include "api/host_folders.h"

namespace muster::agent {

/// Returns the real path of a folder that need not exist yet. Invalid when that is one which must not be named: a
/// symbolic link, perhaps a pod's, may lead there.
Result<std::string> real_folder(const HostFolder& folder, const api::HostFolders& allowed);

/// Returns what is wrong with a folder that the owner named for a claim and that must exist, because one that the
/// engine made would hide a mistyped name; "" when nothing is.
std::string missing_folder_problem(const std::string& path);

/// Returns what is wrong with what a hostPath of that type names; "" when nothing is or the type asks for nothing.
std::string host_path_type_problem(const std::string& path, const std::string& type);

class VolumeFolders final : public Isolator {
 public:
  VolumeFolders(const Paths& paths, Trash& trash, api::HostFolders allowed)
      : paths_(paths), trash_(trash), allowed_(std::move(allowed)) {}
  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string&) override {}
  void release(const std::string&) override {}
  void clean_up(const std::string& uid) override;

 private:
  const Paths& paths_;
  Trash& trash_;
  api::HostFolders allowed_;
};

}  // namespace muster::agent
