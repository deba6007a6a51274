#include "agent/files/claim_file_service.h"

#include <unistd.h>

#include <cerrno>

#include "agent/files/event_folder.h"
#include "agent/volumes/volumes.h"
#include "api/muster/names.h"
#include "base/lifetime.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using node::FileEntry;
using node::FilePlace;

Result<std::string> read_at(int fd, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t n = ::pread(fd, bytes.data() + filled, size - filled, offset + static_cast<std::int64_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read a file of a claim", errno);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

/// The open file is shared with the work under way; a callback of a reading that is gone is dropped.
class DiskReading final : public node::FileReading {
 public:
  DiskReading(DiskThreads& threads, ClaimFolder::OpenFile file)
      : threads_(threads), file_(std::make_shared<const ClaimFolder::OpenFile>(std::move(file))) {}

  const FileEntry& entry() const override { return file_->entry; }
  void read(std::int64_t offset, std::size_t size, OnBytes done) override {
    threads_.run([file = file_, offset, size](const std::stop_token&) { return read_at(file->fd.get(), offset, size); },
                 lifetime_.guard(std::move(done)));
  }

 private:
  DiskThreads& threads_;
  std::shared_ptr<const ClaimFolder::OpenFile> file_;
  Lifetime lifetime_;
};

class DiskWriting final : public node::FileWriting {
 public:
  DiskWriting(DiskThreads& threads, FileDraft draft, UniqueFunction<void()> on_commit)
      : threads_(threads), draft_(std::make_shared<FileDraft>(std::move(draft))), on_commit_(std::move(on_commit)) {}

  void write(std::string bytes, OnDone done) override {
    threads_.run([draft = draft_, bytes = std::move(bytes)](const std::stop_token&) { return draft->write(bytes); },
                 lifetime_.guard(std::move(done)));
  }
  void commit(OnWritten done) override {
    threads_.run([draft = draft_](const std::stop_token&) { return draft->commit(); },
                 lifetime_.guard([this, done = std::move(done)](Result<Written> how) mutable {
                   if (how) on_commit_();
                   done(std::move(how));
                 }));
  }

 private:
  DiskThreads& threads_;
  std::shared_ptr<FileDraft> draft_;
  UniqueFunction<void()> on_commit_;
  Lifetime lifetime_;
};

}  // namespace

ClaimRoot claim_root(const json::Document& claim, const Paths& paths) {
  const bool is_named = !claim.string_at("metadata", "annotations", api::kPathAnnotation).empty();
  const bool is_deleted = claim.at("metadata", "deletionTimestamp") != nullptr;
  return {.path = claim_folder(claim, paths), .is_named = is_named, .may_be_made = !is_named && !is_deleted};
}

template <typename Work, typename Done>
void ClaimFileService::in_folder(const FilePlace& place, Work work, Done done) {
  using Outcome = std::invoke_result_t<Work, const ClaimFolder&, const std::stop_token&>;
  threads_.run(
      [root = claim_root(place.claim, paths_), work = std::move(work)](const std::stop_token& stop) -> Outcome {
        TRY_ASSIGN(const auto folder, ClaimFolder::open(root));
        return work(*folder, stop);
      },
      std::move(done));
}

void ClaimFileService::stat(FilePlace place, On<FileEntry> done) {
  in_folder(
      place, [path = place.path](const ClaimFolder& folder, const std::stop_token&) { return folder.stat(path); },
      std::move(done));
}

void ClaimFileService::list(FilePlace place, node::PageRequest page, On<node::FilePage> done) {
  in_folder(
      place,
      [path = place.path, page = std::move(page)](const ClaimFolder& folder, const std::stop_token&) {
        return folder.list(path, page);
      },
      [use = place.path.empty() ? usage_.find(place.claim) : std::nullopt,
       done = std::move(done)](Result<node::FilePage> listed) mutable {
        if (listed) listed->use = use;
        done(std::move(listed));
      });
}

void ClaimFileService::open(FilePlace place, On<std::unique_ptr<node::FileReading>> done) {
  in_folder(
      place, [path = place.path](const ClaimFolder& folder, const std::stop_token&) { return folder.open_file(path); },
      [this, done = std::move(done)](Result<ClaimFolder::OpenFile> file) mutable {
        if (!file) return done(file.error());
        done(std::unique_ptr<node::FileReading>(std::make_unique<DiskReading>(threads_, *std::move(file))));
      });
}

void ClaimFileService::create(FilePlace place, node::FileWriteOptions options,
                              On<std::unique_ptr<node::FileWriting>> done) {
  in_folder(
      place,
      [path = place.path, options = std::move(options), token = rng_.next()](
          const ClaimFolder& folder, const std::stop_token&) { return folder.create(path, options, token); },
      [this, claim = place.claim, done = std::move(done)](Result<FileDraft> draft) mutable {
        if (!draft) return done(draft.error());
        done(std::unique_ptr<node::FileWriting>(std::make_unique<DiskWriting>(
            threads_, *std::move(draft), [this, claim = std::move(claim)] { usage_.on_written(claim); })));
      });
}

node::ClaimFiles::OnDone ClaimFileService::after_change(const FilePlace& place, OnDone done) {
  return [this, claim = place.claim, done = std::move(done)](Status how) mutable {
    if (how) usage_.on_written(claim);
    done(std::move(how));
  };
}

void ClaimFileService::make_folder(FilePlace place, OnDone done) {
  in_folder(
      place,
      [path = place.path](const ClaimFolder& folder, const std::stop_token&) { return folder.make_folder(path); },
      after_change(place, std::move(done)));
}

void ClaimFileService::move(FilePlace from, std::string to, Existing existing, OnDone done) {
  in_folder(
      from,
      [path = from.path, to = std::move(to), existing](const ClaimFolder& folder, const std::stop_token&) {
        return folder.move(path, to, existing);
      },
      after_change(from, std::move(done)));
}

void ClaimFileService::remove(FilePlace place, Depth depth, std::string if_match, OnDone done) {
  in_folder(
      place,
      [path = place.path, depth, if_match = std::move(if_match)](const ClaimFolder& folder,
                                                                 const std::stop_token& stop) {
        return folder.remove(path, depth, if_match, stop);
      },
      after_change(place, std::move(done)));
}

void ClaimFileService::scalars(FilePlace folder, std::optional<node::EventOwner> owner, On<node::ScalarRuns> done) {
  in_folder(
      folder,
      [path = folder.path, owner = std::move(owner)](const ClaimFolder& claim, const std::stop_token& stop) {
        return read_event_folder(claim, path, owner, stop);
      },
      std::move(done));
}

void ClaimFileService::recent_events(const FilePlace& folder, node::EventSearch search, On<node::EventFolders> done) {
  in_folder(
      folder,
      [path = folder.path, search = std::move(search)](const ClaimFolder& claim, const std::stop_token& stop) {
        return find_recent_events(claim, path, search, stop);
      },
      std::move(done));
}

void ClaimFileService::has_events(FilePlace folder, On<bool> done) {
  in_folder(
      folder,
      [path = folder.path](const ClaimFolder& claim, const std::stop_token& stop) {
        return has_event_files(claim, path, stop);
      },
      std::move(done));
}

}  // namespace muster::agent
