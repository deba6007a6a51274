// ClaimFileService: client::ClaimFiles over the folders of this node's claims, with all disk work on the disk threads.
#pragma once

#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "agent/files/claim_folder.h"
#include "agent/files/claim_usage.h"
#include "base/ports.h"
#include "client/claim_files.h"

namespace muster::agent {

ClaimRoot claim_root(const json::Document& claim, const Paths& paths);

class ClaimFileService final : public client::ClaimFiles {
 public:
  ClaimFileService(Rng& rng, const Paths& paths, DiskThreads& threads, ClaimUsage& usage)
      : rng_(rng), paths_(paths), threads_(threads), usage_(usage) {}

  void stat(client::FilePlace place, On<client::FileEntry> done) override;
  void list(client::FilePlace folder, client::PageRequest page, On<client::FilePage> done) override;
  void open(client::FilePlace file, On<std::unique_ptr<client::FileReading>> done) override;
  void create(client::FilePlace file, client::FileWriteOptions options,
              On<std::unique_ptr<client::FileWriting>> done) override;
  void make_folder(client::FilePlace folder, OnDone done) override;
  void move(client::FilePlace from, std::string to, Existing existing, OnDone done) override;
  void remove(client::FilePlace place, Depth depth, std::string if_match, OnDone done) override;
  void scalars(client::FilePlace folder, On<client::ScalarRuns> done) override;
  void has_events(client::FilePlace folder, On<bool> done) override;

 private:
  /// Opens the claim's folder on a disk thread and calls `work` with it there; `done` gets the result on the loop.
  template <typename Work, typename Done>
  void in_folder(const client::FilePlace& place, Work work, Done done);
  /// Calls `done`, and has the claim measured again when something was changed.
  OnDone after_change(const client::FilePlace& place, OnDone done);

  Rng& rng_;
  const Paths& paths_;
  DiskThreads& threads_;
  ClaimUsage& usage_;
};

}  // namespace muster::agent
