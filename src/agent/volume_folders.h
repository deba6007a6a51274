// The folders of a pod's volumes: those of its claims, and its emptyDir volumes on disk, which go with it.
#pragma once

#include <string>

#include "agent/isolator.h"
#include "agent/paths.h"
#include "agent/trash.h"

namespace muster::agent {

class VolumeFolders final : public Isolator {
 public:
  VolumeFolders(const Paths& paths, Trash& trash) : paths_(paths), trash_(trash) {}
  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string&) override {}
  void release(const std::string&) override {}
  void clean_up(const std::string& uid) override;

 private:
  const Paths& paths_;
  Trash& trash_;
};

}  // namespace muster::agent
