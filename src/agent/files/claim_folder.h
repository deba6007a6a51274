// ClaimFolder: the operations on the folder of one claim. They block, so they belong on the disk threads.
//
// Pods write in the same folder at the same time and may put any link there, so every path is resolved beneath the
// folder's descriptor. The engine's own claims are accessed with its rights, as a pod's root has them there. In a
// folder that its owner named, the owner's rights are used: a root engine must not lend root's rights to an account of
// the namespace.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "linux/beneath.h"
#include "node/claim_files.h"

namespace muster::agent {

/// Where the folder of a claim is.
struct ClaimRoot {
  std::string path;
  bool is_named = false;    // by its owner; otherwise it is the engine's own
  bool may_be_made = true;  // the engine's own folder, of a claim that is not being deleted
};

/// Creates the folder of a claim when it is missing. One that is the engine's own is for containers of any user: it
/// lies in the engine's folder, which nobody else can enter.
Status make_claim_folder(const ClaimRoot& root);

/// Calls `remove`, which returns Conflict when the folder was not empty at its end, again and again, because a pod may
/// write there at the same time. A pod that keeps writing is for the user to stop.
Status remove_while_written(const std::string& path, const std::function<Status()>& remove);

/// A file being written. It has no name until `commit`, so that a crash leaves nothing; on a file system that cannot do
/// that (NFS) it has a temporary one, which goes when the draft is destroyed without `commit`.
struct FileDraft {
  FileDraft() = default;
  FileDraft(FileDraft&&) = default;
  FileDraft& operator=(FileDraft&&) = delete;
  ~FileDraft();

  Status write(std::string_view bytes);
  Result<node::FileWriting::Written> commit();
  /// Returns -1 and sets errno, as the system call does.
  int link_as(const std::string& new_name) const;
  /// Replaces what has its name.
  Status replace();

  Fd folder;
  Fd file;
  std::string path;  // as the client wrote it; it may lead through links
  std::string name;  // in `folder`
  std::string temporary_name;
  bool is_temporary = false;  // it has the temporary name
  node::FileWriteOptions options;
  uid_t user = 0;
  gid_t group = 0;
};

class ClaimFolder {
 public:
  static Result<std::unique_ptr<ClaimFolder>> open(const ClaimRoot& root);

  /// Follows links.
  Result<node::FileEntry> stat(const std::string& path) const;
  Result<node::FilePage> list(const std::string& path, const node::PageRequest& page) const;
  struct OpenFile {
    Fd fd;
    node::FileEntry entry;
  };
  Result<OpenFile> open_file(const std::string& path) const;
  /// Follows links as open_file() does, and a link to nothing yet makes its target. `token` makes the temporary name
  /// unlike all others.
  Result<FileDraft> create(const std::string& path, const node::FileWriteOptions& options, std::uint64_t token) const;
  Status make_folder(const std::string& path) const;
  Status move(const std::string& from, const std::string& to, node::ClaimFiles::Existing existing) const;
  Status remove(const std::string& path, node::ClaimFiles::Depth depth, const std::string& if_match,
                const std::stop_token& stop) const;

 private:
  ClaimFolder(Fd top, uid_t user, gid_t group)
      : top_(std::move(top)), user_(user), group_(group), acts_as_(user, group) {}

  struct Slot;
  Result<Slot> slot(const std::string& path) const;
  Result<Slot> slot_behind_links(const std::string& path) const;
  Status check_unchanged(const Slot& slot, const std::string& path, const std::string& if_match) const;

  Fd top_;
  uid_t user_;
  gid_t group_;
  linux_os::FileUser acts_as_;
};

}  // namespace muster::agent
