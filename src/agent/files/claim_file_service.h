// ClaimFileService: node::ClaimFiles over the folders of this node's claims, with all disk work on the disk threads.
#pragma once

#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "agent/files/claim_folder.h"
#include "agent/files/claim_usage.h"
#include "base/ports.h"
#include "node/claim_files.h"
#include "node/progress_source.h"

namespace muster::agent {

ClaimRoot claim_root(const json::Document& claim, const Paths& paths);

class ClaimFileService final : public node::ClaimFiles {
 public:
  ClaimFileService(Rng& rng, const Paths& paths, DiskThreads& threads, ClaimUsage& usage)
      : rng_(rng), paths_(paths), threads_(threads), usage_(usage) {}

  void stat(node::FilePlace place, On<node::FileEntry> done) override;
  void list(node::FilePlace folder, node::PageRequest page, On<node::FilePage> done) override;
  void open(node::FilePlace file, On<std::unique_ptr<node::FileReading>> done) override;
  void create(node::FilePlace file, node::FileWriteOptions options,
              On<std::unique_ptr<node::FileWriting>> done) override;
  void make_folder(node::FilePlace folder, OnDone done) override;
  void move(node::FilePlace from, std::string to, Existing existing, OnDone done) override;
  void remove(node::FilePlace place, Depth depth, std::string if_match, OnDone done) override;
  void scalars(node::FilePlace folder, std::optional<node::EventOwner> owner, On<node::ScalarRuns> done) override;
  void has_events(node::FilePlace folder, On<bool> done) override;
  /// As node::ProgressSource says.
  void recent_events(const node::FilePlace& folder, node::EventSearch search, On<node::EventFolders> done);

 private:
  /// Opens the claim's folder on a disk thread and calls `work` with it there; `done` gets the result on the loop.
  template <typename Work, typename Done>
  void in_folder(const node::FilePlace& place, Work work, Done done);
  /// Calls `done`, and has the claim measured again when something was changed.
  OnDone after_change(const node::FilePlace& place, OnDone done);

  Rng& rng_;
  const Paths& paths_;
  DiskThreads& threads_;
  ClaimUsage& usage_;
};

}  // namespace muster::agent
